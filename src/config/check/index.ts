/** Everything that can be known of a configuration file without the network: `skewscope config check`. */
import { readFile } from 'node:fs/promises';
import type { KafkaSettings } from '../../kafka/settings.js';
import { OutputError } from '../../outputs/output.js';
import { loadRules } from '../../rules/load.js';
import type { RuleSet } from '../../rules/rule.js';
import { RuleErrors } from '../../rules/rule-error.js';
import { errorCode, explainSystemError } from '../../sources/source.js';
import type { Config } from '../config.js';
import { ConfigError, type OpenConfig, openConfig } from '../parse-config.js';
import { ruleMistakes } from '../rule-mistakes.js';
import { askKafka } from './ask-kafka.js';
import { folderMistakes } from './folders.js';
import { inTheClear } from './in-the-clear.js';
import { outputNames } from './output-names.js';
import type { Remark } from './remark.js';
import { secretRemarks } from './secrets.js';
import { summarize } from './summary.js';
import { tlsRemarks } from './tls-files.js';

export interface ConfigCheck {
  /** What keeps it from working, each with its place. */
  readonly mistakes: readonly string[];
  /** What works, but should be looked at. */
  readonly warnings: readonly string[];
  /** What would run, one line each; empty where there are mistakes. */
  readonly summary: readonly string[];
  /** Why Kafka could not be asked; '' when it was, or was not to be. */
  readonly unreachable: string;
}

export interface CheckEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: number;
  /** Given: Kafka is asked for its topics, with their number of partitions. Rejects with KafkaFailure. */
  readonly listTopics?: (settings: KafkaSettings) => Promise<ReadonlyMap<string, number>>;
}

/** Nothing is changed on disk, no secret is shown, nothing is sent to outputs. */
export async function checkConfigFile(file: string, environment: CheckEnvironment): Promise<ConfigCheck> {
  let opened: OpenConfig;
  try {
    opened = openConfig(await readFile(file, 'utf8'), file);
  } catch (error) {
    return { mistakes: failureLines(file, error), warnings: [], summary: [], unreachable: '' };
  }
  const { config, at } = opened;
  const secrets = secretRemarks(config, environment.env);
  const remarks = [
    ...secrets,
    ...tlsRemarks(config, environment.nowMs),
    ...(await folderMistakes(config)),
    ...inTheClear(config),
  ];
  const told = (level: Remark['level']) =>
    remarks.filter((remark) => remark.level === level).map(({ path, message }) => at(path, message));
  const rules = await rulesOf(opened);
  const outputs = await outputsOf(config, remarks, environment);
  const mistakes = [...told('mistake'), ...rules.mistakes, ...outputs.mistakes];
  const warnings = [...told('warning'), ...outputs.notes];
  if (mistakes.length > 0 || rules.set === undefined) return { mistakes, warnings, summary: [], unreachable: '' };
  const asked = await askKafka(config, environment);
  return {
    mistakes,
    warnings: [...warnings, ...asked.remarks.map(({ path, message }) => at(path, message))],
    summary: [...summarize(config, rules.set, outputs.names), ...asked.summary],
    unreachable: asked.unreachable,
  };
}

function failureLines(file: string, error: unknown): string[] {
  if (error instanceof ConfigError) return error.message.split('\n');
  if (errorCode(error) === '') throw error;
  return [explainSystemError(file, error)];
}

async function rulesOf({
  config,
  at,
}: OpenConfig): Promise<{ readonly set?: RuleSet; readonly mistakes: readonly string[] }> {
  try {
    return { set: await loadRules(config.rules), mistakes: [] };
  } catch (error) {
    if (error instanceof RuleErrors) return { mistakes: ruleMistakes(error.errors, at) };
    throw error;
  }
}

interface OutputsCheck {
  readonly names: readonly string[];
  readonly notes: readonly string[];
  readonly mistakes: readonly string[];
}

async function outputsOf(
  config: Config,
  remarks: readonly Remark[],
  environment: CheckEnvironment,
): Promise<OutputsCheck> {
  const none = { names: [], notes: [], mistakes: [] };
  // What a missing file or secret leads to has been told with its place.
  if (remarks.some(({ level, path }) => level === 'mistake' && path[0] === 'outputs')) return none;
  const notes: string[] = [];
  try {
    return { ...none, notes, names: await outputNames(config, environment.env, (note) => notes.push(note)) };
  } catch (error) {
    if (error instanceof OutputError) return { ...none, mistakes: [`outputs: ${error.message}`] };
    throw error;
  }
}
