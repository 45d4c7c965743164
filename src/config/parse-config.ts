/** From the text of a configuration file to its meaning, with every mistake named by file, line and column. */
import { dirname } from 'node:path';
import { RuleErrors } from '../rules/rule-error.js';
import { readYaml, type YamlSource } from '../rules/yaml-source.js';
import { type Config, NO_CONFIG } from './config.js';
import { type ConfigSection, configSchema } from './config-schema.js';
import { crossMistakes } from './cross-checks.js';
import { explain, mistakeAt, type Path, place } from './explain.js';
import { kafkaConfig, listenConfig, serviceConfig } from './fill-in.js';
import { inFolder } from './in-folder.js';

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
  if (Buffer.byteLength(text) > MAX_CONFIG_BYTES) {
    throw new ConfigError(`${file}: larger than ${MAX_CONFIG_BYTES / 1024} KiB; is this the configuration file?`);
  }
  const source = readSource(text, file);
  const folder = dirname(file);
  const at = (path: Path, message: string) => mistakeAt(path, message, source);
  if (source.value === null || source.value === undefined) return { config: { ...NO_CONFIG, folder }, at };
  const parsed = configSchema.safeParse(source.value);
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.flatMap((issue) => explain(issue, source, configSchema)).join('\n'));
  }
  const config = filledIn(parsed.data, folder);
  const mistakes = crossMistakes(config).map(({ path, message, whole }) =>
    whole === true ? place(source, path, message) : at(path, message),
  );
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
  return { config, at };
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
