/** Everything that can be known of a configuration file without the network: `skewscope config check`. */
import { readFile } from 'node:fs/promises';
import type { KafkaSettings } from '../../kafka/settings.js';
import { OutputError } from '../../outputs/output.js';
import { loadRules } from '../../rules/load.js';
import type { RuleSet } from '../../rules/rule.js';
import { type RuleError, RuleErrors } from '../../rules/rule-error.js';
import { errorCode, explainSystemError } from '../../sources/source.js';
import type { Config } from '../config.js';
import type { Path } from '../explain.js';
import { inFileOrder } from '../file-order.js';
import { ConfigError, type Examined, examineConfig } from '../parse-config.js';
import { ruleMistakes } from '../rule-mistakes.js';
import { isIn } from '../salvage.js';
import { askKafka } from './ask-kafka.js';
import { doubtful } from './doubtful.js';
import { folderMistakes } from './folders.js';
import { inTheClear } from './in-the-clear.js';
import { listenHostRemarks } from './listen-hosts.js';
import { outputNames, singleOutputs, twiceNamed } from './output-names.js';
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

/**
 * Every mistake that can be known, in one go and in the order of the file. Nothing is changed on disk, no secret is shown,
 * nothing is sent to outputs.
 */
export async function checkConfigFile(file: string, environment: CheckEnvironment): Promise<ConfigCheck> {
  let examined: Examined;
  try {
    examined = examineConfig(await readFile(file, 'utf8'), file);
  } catch (error) {
    return { mistakes: failureLines(file, error), warnings: [], summary: [], unreachable: '' };
  }
  const { config, at } = examined;
  if (config === undefined) return { mistakes: examined.mistakes, warnings: [], summary: [], unreachable: '' };
  const { remarks, rules, notes } = await findings(config, examined, environment);
  const told = (level: Remark['level']) =>
    remarks.filter((remark) => remark.level === level).map(({ path, message }) => at(path, message));
  const mistakes = inFileOrder([...examined.mistakes, ...told('mistake'), ...rules.mistakes], file);
  const warnings = [...inFileOrder(told('warning'), file), ...notes];
  if (mistakes.length > 0 || rules.set === undefined) return { mistakes, warnings, summary: [], unreachable: '' };
  const names = await outputNames(config, environment.env, () => {});
  const asked = await askKafka(config, environment);
  return {
    mistakes,
    warnings: [...warnings, ...asked.remarks.map(({ path, message }) => at(path, message))],
    summary: [...summarize(config, rules.set, names), ...asked.summary],
    unreachable: asked.unreachable,
  };
}

interface Found {
  readonly remarks: readonly Remark[];
  readonly rules: { readonly set?: RuleSet; readonly mistakes: readonly string[] };
  /** What outputs remark on variables of the environment. */
  readonly notes: readonly string[];
}

/** What is found because of a mistake that was told already is left out. */
async function findings(config: Config, { at, wrong }: Examined, environment: CheckEnvironment): Promise<Found> {
  const related = [...inTheClear(config), ...doubtful(config, environment.nowMs)].filter(
    ({ path }) => !wrong.some(([section]) => section === path[0]),
  );
  const single = [
    ...secretRemarks(config, environment.env),
    ...tlsRemarks(config, environment.nowMs),
    ...(await folderMistakes(config)),
    ...(await listenHostRemarks(config)),
    ...related,
  ].filter(({ path }) => !isIn(path, wrong));
  const bad = single.flatMap(({ level, path }) => (level === 'mistake' ? [path] : []));
  const outputs = await outputMistakes(config, [...bad, ...wrong], environment);
  return { remarks: [...single, ...outputs.mistakes], rules: await rulesOf(config, at, wrong), notes: outputs.notes };
}

function failureLines(file: string, error: unknown): string[] {
  if (error instanceof ConfigError) return error.message.split('\n');
  if (errorCode(error) === '') throw error;
  return [explainSystemError(file, error)];
}

async function rulesOf(config: Config, at: Examined['at'], wrong: Examined['wrong']): Promise<Found['rules']> {
  try {
    return { set: await loadRules(config.rules), mistakes: [] };
  } catch (error) {
    if (!(error instanceof RuleErrors)) throw error;
    const told = error.errors.filter(({ path }) => path === undefined || !isIn(path, wrong));
    return {
      mistakes: ruleMistakes(
        told.map((one) => ofTheFolder(one, config)),
        at,
      ),
    };
  }
}

/** A folder that cannot be read is a mistake of the configuration, which has a line. */
function ofTheFolder(error: RuleError, { rules }: Config): RuleError {
  const at = error.line === 0 ? rules.dirs.indexOf(error.file) : -1;
  return at < 0 ? error : { ...error, message: `${error.file} ${error.message}`, path: ['rules', 'dirs', at] };
}

/** `bad`: places with mistakes that are told already; an output with one of them is not tried. */
async function outputMistakes(
  { outputs: section }: Config,
  bad: readonly Path[],
  { env }: CheckEnvironment,
): Promise<{ readonly mistakes: readonly Remark[]; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const mistakes: Remark[] = section === undefined ? [] : [...twiceNamed(section)];
  for (const { path, config } of section === undefined ? [] : singleOutputs(section)) {
    if (bad.some((place) => isIn(place, [path]) || isIn(path, [place]))) continue;
    try {
      await outputNames(config, env, (note) => notes.push(note));
    } catch (error) {
      if (!(error instanceof OutputError)) throw error;
      mistakes.push({ level: 'mistake', path, message: `cannot work: ${error.message}` });
    }
  }
  return { mistakes: mistakes.filter(({ path }) => !isIn(path, bad)), notes };
}
