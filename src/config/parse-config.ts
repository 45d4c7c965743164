/** From the text of a configuration file to its meaning, with every mistake named by file, line and column. */
import { dirname } from 'node:path';
import { RuleErrors } from '../rules/rule-error.js';
import { readYaml, type YamlSource } from '../rules/yaml-source.js';
import { type Config, NO_CONFIG } from './config.js';
import { type ConfigSection, configSchema } from './config-schema.js';
import { type CrossMistake, crossMistakes } from './cross-checks.js';
import { explain, mistakeAt, type Path, place } from './explain.js';
import { inFileOrder } from './file-order.js';
import { kafkaConfig, listenConfig, serviceConfig } from './fill-in.js';
import { inFolder } from './in-folder.js';
import { isIn, salvage } from './salvage.js';

const MAX_CONFIG_BYTES = 256 * 1024;

/** What is wrong with a configuration file: one `FILE:LINE:COLUMN: what; what to do` a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Parses a configuration file; folders in it are relative to the file. Throws ConfigError with all its mistakes. */
export function parseConfig(text: string, file: string): Config {
  return openConfig(text, file).config;
}

export interface OpenConfig {
  readonly config: Config;
  /** `FILE:LINE:COLUMN: KEY message`, for what is found later about the key under a path. */
  at(path: Path, message: string): string;
}

/** Like parseConfig, with the way back to lines and columns. */
export function openConfig(text: string, file: string): OpenConfig {
  const { config, at, mistakes } = examineConfig(text, file);
  if (mistakes.length > 0 || config === undefined) throw new ConfigError(mistakes.join('\n'));
  return { config, at };
}

export interface Examined extends Pick<OpenConfig, 'at'> {
  /** What could be read, where there are mistakes; undefined when nothing could. */
  readonly config: Config | undefined;
  /** In the order of the file. */
  readonly mistakes: readonly string[];
  /** What of the configuration is not as the file has it: what is found there, or because of it, means nothing. */
  readonly wrong: readonly Path[];
}

/** Throws ConfigError when the text is no YAML. */
export function examineConfig(text: string, file: string): Examined {
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    throw new ConfigError(`${file}: larger than ${MAX_CONFIG_BYTES / 1024} KiB; is this the configuration file?`);
  }
  const source = readSource(text, file);
  const folder = dirname(file);
  const at = (path: Path, message: string) => mistakeAt(path, message, source);
  if (source.value === null || source.value === undefined) {
    return { config: { ...NO_CONFIG, folder }, at, mistakes: [], wrong: [] };
  }
  const parsed = configSchema.safeParse(source.value);
  const issues = parsed.success ? [] : parsed.error.issues;
  const { section, wrong } = parsed.success ? { section: parsed.data, wrong: [] } : salvage(source.value, configSchema);
  const config = section && filledIn(section, folder);
  const cross = config === undefined ? [] : crossMistakes(config).filter((mistake) => isOfTheFile(mistake, wrong));
  const mistakes = [
    ...issues.flatMap((issue) => explain(issue, source, configSchema)),
    ...cross.map(({ path, message, whole }) => (whole === true ? place(source, path, message) : at(path, message))),
  ];
  return { config, at, mistakes: inFileOrder(mistakes, file), wrong };
}

/** Not one that comes of what is wrong already. */
function isOfTheFile({ path, about = [] }: CrossMistake, wrong: readonly Path[]): boolean {
  return !isIn(path, wrong) && !about.some((other) => isIn(other, wrong) || wrong.some((one) => isIn(one, [other])));
}

function filledIn({ rules, servers, failOn, cluster, outputs, ...section }: ConfigSection, folder: string): Config {
  const kafka = section.kafka && kafkaConfig(section.kafka);
  return {
    rules: {
      dirs: (rules?.dirs ?? []).map((dir) => inFolder(dir, folder)),
      disable: rules?.disable ?? [],
      severity: rules?.severity ?? {},
    },
    servers: Object.entries(servers ?? {}).flatMap(([name, globs]) => [globs].flat().map((glob) => ({ name, glob }))),
    failOn,
    cluster,
    outputs: outputs && { ...outputs, folder },
    kafka,
    service: serviceConfig(section.service),
    listen: listenConfig(section.listen, kafka),
    folder,
  };
}

function readSource(text: string, file: string): YamlSource {
  try {
    return readYaml(text, file);
  } catch (error) {
    if (!(error instanceof RuleErrors)) throw error;
    throw new ConfigError(error.message, { cause: error });
  }
}
