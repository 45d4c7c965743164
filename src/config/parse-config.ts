/** From the text of a configuration file to its meaning, with every mistake named by file, line and column. */
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { alternativesFor, RuleErrors } from '../rules/rule-error.js';
import { readYaml, type YamlSource } from '../rules/yaml-source.js';
import { compileGlob } from '../sources/glob.js';
import { type Config, NO_CONFIG } from './config.js';
import { configSchema } from './config-schema.js';
import { kafkaConfig, listenConfig, serviceConfig } from './service-defaults.js';

const MAX_CONFIG_BYTES = 256 * 1024;

/** What is wrong with a configuration file: one `FILE:LINE:COLUMN: what; what to do` a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses a configuration file; folders in it are relative to the file. Throws ConfigError with all its mistakes. */
export function parseConfig(text: string, file: string): Config {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    throw new ConfigError(`${file}: larger than ${MAX_CONFIG_BYTES / 1024} KiB; is this the configuration file?`);
  }
  const source = readSource(text, file);
  if (source.value === null || source.value === undefined) return { ...NO_CONFIG, folder: dirname(file) };
  const parsed = configSchema.safeParse(source.value);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.flatMap((i) => explain(i, source)).join('\n'));
  const { rules, servers, failOn, cluster, outputs } = parsed.data;
  const kafka = parsed.data.kafka && kafkaConfig(parsed.data.kafka);
  const config: Config = {
    rules: {
      dirs: (rules?.dirs ?? []).map((dir) => (isAbsolute(dir) ? dir : join(dirname(file), dir))),
      disable: rules?.disable ?? [],
      severity: rules?.severity ?? {},
    },
    servers: Object.entries(servers ?? {}).flatMap(([name, globs]) => [globs].flat().map((glob) => ({ name, glob }))),
    failOn,
    cluster,
    outputs: outputs && { ...outputs, folder: dirname(file) },
    kafka,
    service: serviceConfig(parsed.data.service ?? {}),
    listen: listenConfig(parsed.data.listen ?? {}, kafka),
    folder: dirname(file),
  };
  for (const { name, glob } of config.servers) checkGlob(name, glob, source);
  return config;
}

function readSource(text: string, file: string): YamlSource {
  try {
    return readYaml(text, file);
  } catch (error) {
    if (!(error instanceof RuleErrors)) throw error;
    throw new ConfigError(error.message, { cause: error });
  }
}

function checkGlob(name: string, glob: string, source: YamlSource): void {
  try {
    compileGlob(glob);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigError(place(source, ['servers', name], error.message), { cause: error });
  }
}

type Path = readonly (string | number)[];

function explain(issue: z.core.$ZodIssue, source: YamlSource): string[] {
  const path: Path = issue.path.map((key) => (typeof key === 'number' ? key : String(key)));
  const where = path.length === 0 ? 'the file' : `\`${path.join('.')}\``;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const known = knownKeys(configSchema, path);
        return keyPlace(source, path, key, `unknown key "${key}"${suggestion(key, known)}`);
      });
    case 'invalid_value': {
      const given = String(valueAt(source.value, path));
      const known = issue.values.map(String);
      const message = `${where} is "${given}", which is not one of ${known.join(', ')}`;
      return [place(source, path, `${message}${suggestion(given, known, false)}`)];
    }
    case 'invalid_type':
      return [place(source, path, `${where} must be ${NOUNS[issue.expected] ?? `a ${issue.expected}`}`)];
    case 'invalid_union':
      return [place(source, path, `${where} must be a glob or a list of globs, as in ["logs/cp1/*", "cp1-*"]`)];
    case 'too_small':
      return [place(source, path, `${where} is empty; leave it out or give a value`)];
    case 'invalid_key':
      return [place(source, path, `${where} ${issue.issues[0]?.message ?? issue.message}`)];
    case 'invalid_format':
    case 'custom':
      return [place(source, path, `${where} ${issue.message}`)];
    default:
      return [place(source, path, `${where}: ${issue.message}`)];
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  object: 'a mapping',
  record: 'a mapping',
  string: 'text',
};

/** The keys that a mapping under the path may have. */
function knownKeys(schema: z.core.$ZodType, path: Path): string[] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const [first, ...rest] = path;
  if (inner instanceof z.ZodArray) return knownKeys(inner.element, rest);
  if (!(inner instanceof z.ZodObject)) return [];
  if (first === undefined) return Object.keys(inner.shape);
  const next = inner.shape[String(first)];
  return next === undefined ? [] : knownKeys(next, rest);
}

/** The nearest known names; all of them when none is near and `listAll`. */
function suggestion(word: string, known: readonly string[], listAll = true): string {
  const near = alternativesFor(word, known);
  if (near.length < known.length && near.length <= 3) return `; did you mean ${near.join(' or ')}?`;
  return listAll ? `; known: ${known.join(', ')}` : '';
}

function place(source: YamlSource, path: Path, message: string): string {
  const { file, line, column } = source.error(path, message);
  return `${file}:${line}:${column}: ${message}`;
}

function keyPlace(source: YamlSource, path: Path, key: string, message: string): string {
  const { file, line, column } = source.keyError(path, key, message);
  return `${file}:${line}:${column}: ${message}`;
}

function valueAt(value: unknown, path: Path): unknown {
  let inner = value;
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = (inner as Record<string | number, unknown>)[key];
  }
  return inner;
}
