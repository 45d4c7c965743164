/** Whether all secrets of the configuration can be had. None of them is shown. */
import { readBounded, resolveText } from '../../outputs/delivery/secrets.js';
import { OutputError } from '../../outputs/output.js';
import { isReference } from '../address.js';
import type { Config } from '../config.js';
import type { Path } from '../explain.js';
import { inFolder } from '../in-folder.js';
import type { SaslConfig } from '../service-config.js';
import { tokenMistake } from '../service-secrets.js';
import type { Remark } from './remark.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Shorter ones can be guessed. */
const MIN_TOKEN = 16;

export function secretRemarks(config: Config, env: Environment): Remark[] {
  const { kafka, outputs, listen } = config;
  const references = [
    ...referencesIn({ sasl: kafka?.connection.sasl }, ['kafka']),
    ...referencesIn(outputs, ['outputs']),
    ...referencesIn(listen, ['listen']),
  ];
  return [...references.flatMap((reference) => remarksOf(reference, config, env)), ...tokenFileMistakes(config)];
}

function remarksOf({ path, text }: Reference, { folder }: Config, env: Environment): Remark[] {
  try {
    const value = resolveText(text, { env, folder });
    const mistake = path[0] === 'listen' ? tokenMistake(value) : '';
    if (mistake !== '') return [{ level: 'mistake', path, message: mistake }];
    const short = path[0] === 'listen' && value.length < MIN_TOKEN;
    return short
      ? [{ level: 'warning', path, message: `leads to fewer than ${MIN_TOKEN} characters, which can be guessed` }]
      : [];
  } catch (error) {
    if (!(error instanceof OutputError)) throw error;
    return [{ level: 'mistake', path, message: `cannot be had: ${error.message}` }];
  }
}

interface Reference {
  readonly path: Path;
  readonly text: string;
}

/** Labels are sent as they are, whatever they look like. */
function referencesIn(value: unknown, path: Path): Reference[] {
  if (typeof value === 'string') return isReference(value) ? [{ path, text: value }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => key !== 'labels')
    .flatMap(([key, inner]) => referencesIn(inner, [...path, Array.isArray(value) ? Number(key) : key]));
}

/** Those that oauthbearer reads for each connection. */
function tokenFileMistakes({ kafka, outputs, folder }: Config): Remark[] {
  const all: [Path, SaslConfig | undefined][] = [
    [['kafka', 'sasl', 'tokenFile'], kafka?.connection.sasl],
    ...(outputs?.kafka ?? []).map(({ sasl }, at): [Path, SaslConfig | undefined] => [
      ['outputs', 'kafka', at, 'sasl', 'tokenFile'],
      sasl,
    ]),
  ];
  return all.flatMap(([path, sasl]): Remark[] => {
    if (sasl?.mechanism !== 'oauthbearer') return [];
    try {
      const empty = readBounded(inFolder(sasl.tokenFile, folder)).trim() === '';
      return empty ? [{ level: 'mistake', path, message: `names ${sasl.tokenFile}, which is empty` }] : [];
    } catch (error) {
      if (!(error instanceof OutputError)) throw error;
      return [{ level: 'mistake', path, message: `cannot be read: ${error.message}` }];
    }
  });
}
