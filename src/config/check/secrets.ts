/** Whether all secrets of the configuration can be had. None of them is shown. */
import { resolveText } from '../../outputs/delivery/secrets.js';
import { OutputError } from '../../outputs/output.js';
import { isReference } from '../address.js';
import type { Config } from '../config.js';
import type { Path } from '../explain.js';
import type { Remark } from './remark.js';

/** Shorter ones can be guessed. */
const MIN_TOKEN = 16;

export function secretRemarks(config: Config, env: Readonly<Record<string, string | undefined>>): Remark[] {
  const { kafka, outputs, listen } = config;
  const references = [
    ...referencesIn({ sasl: kafka?.connection.sasl }, ['kafka']),
    ...referencesIn(outputs, ['outputs']),
    ...referencesIn(listen, ['listen']),
  ];
  return references.flatMap(({ path, text }): Remark[] => {
    try {
      const value = resolveText(text, { env, folder: config.folder });
      const short = path[0] === 'listen' && value.length < MIN_TOKEN;
      return short
        ? [{ level: 'warning', path, message: `leads to fewer than ${MIN_TOKEN} characters, which can be guessed` }]
        : [];
    } catch (error) {
      if (!(error instanceof OutputError)) throw error;
      return [{ level: 'mistake', path, message: `cannot be had: ${error.message}` }];
    }
  });
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
