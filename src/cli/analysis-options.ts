/** The options that all commands share which read logs, and what they mean together with the configuration file. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Config, FAIL_ON, type FailOn, NO_CONFIG, type ServerGlob } from '../config/config.js';
import { type ListenAddress, parseListenAddress } from '../config/listen-address.js';
import type { RuleSet } from '../rules/index.js';
import { compileGlob } from '../sources/index.js';
import { usageFailure } from './failure.js';
import { type ColorChoice, type Terminal, widthOf } from './terminal.js';
import { parseTime } from './time-option.js';

export const FORMATS = ['text', 'json', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

/** Options as commander gives them. */
export interface InputFlags {
  readonly config?: string;
  readonly server?: readonly ServerGlob[];
  readonly cluster?: string;
  readonly since?: number;
  readonly until?: number;
  readonly progress: boolean;
}
export interface OutputFlags {
  readonly format: Format;
  readonly output?: string;
  readonly color: ColorChoice;
  readonly width?: number;
}
export interface JudgeFlags {
  readonly rules?: readonly string[];
  readonly failOn?: FailOn;
}

export interface SendFlags {
  readonly otlpEndpoint?: string;
  readonly alertmanagerUrl?: readonly string[];
  readonly webhookUrl?: readonly string[];
  readonly spool?: string;
  readonly metricsListen?: ListenAddress;
}

/** An option that may be given several times. */
export class ListOption extends Option {}

export function addInputOptions(command: Command, terminal: Terminal): Command {
  return command
    .optionsGroup('What is read:')
    .addOption(time('--since <time>', 'leave out what was recorded before', terminal))
    .addOption(time('--until <time>', 'leave out what was recorded after', terminal))
    .addOption(
      new ListOption(
        '--server <name=glob>',
        'inputs that this server wrote, by path or file name (repeatable)',
      ).argParser(collectServer),
    )
    .option('--cluster <name>', 'name of the cluster that all inputs belong to')
    .option('--config <file>', 'configuration file (YAML)')
    .option('--no-progress', 'show no progress on stderr');
}

export function addJudgeOptions(command: Command): Command {
  return command
    .optionsGroup('How it is judged:')
    .addOption(
      new Option(
        '--fail-on <severity>',
        'exit with 1 when there is a finding of this severity or worse; warning unless given here or as failOn in --config',
      ).choices(FAIL_ON),
    )
    .addOption(rulesOption());
}

export function rulesOption(): Option {
  return new ListOption('--rules <dir>', 'folder (or file) of more rules (repeatable)').argParser(collect);
}

export function addOutputOptions(command: Command): Command {
  return command
    .optionsGroup('What is printed:')
    .addOption(new Option('--format <format>', 'form of the result').choices(FORMATS).default('text'))
    .option('-o, --output <file>', 'write the result to a file, which appears when it is complete')
    .addOption(new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto'))
    .addOption(
      new Option('--width <columns>', "columns of text; the terminal's unless given, else 100").argParser(parseWidth),
    );
}

export function addSendOptions(command: Command): Command {
  return command
    .optionsGroup('Where it is sent (more, and secrets, in --config under outputs):')
    .option('--otlp-endpoint <url>', 'OTLP receiver of spans and log records')
    .addOption(
      new ListOption('--alertmanager-url <url>', 'Alertmanager that is told of findings (repeatable)').argParser(
        collect,
      ),
    )
    .addOption(
      new ListOption('--webhook-url <url>', 'webhook that takes findings as CloudEvents (repeatable)').argParser(
        collect,
      ),
    );
}

/** For commands that go on with their input. */
export function addMetricsOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--metrics-listen <address>',
      'serve metrics for Prometheus at /metrics: PORT on this machine alone, or HOST:PORT',
    ).argParser(parseListen),
  );
}

/** For commands whose messages must not be lost. */
export function addSpoolOption(command: Command): Command {
  return command.option('--spool <dir>', 'folder that keeps what could not be sent, and what was, for the next run');
}

/** What the flags and the configuration file say together; flags go first. Throws Failure on mistakes in the file. */
export async function readConfig(flags: { readonly config?: string }): Promise<Config> {
  if (flags.config === undefined) return NO_CONFIG;
  const { ConfigError, loadConfig } = await import('../config/index.js');
  try {
    return await loadConfig(flags.config);
  } catch (error) {
    if (error instanceof ConfigError) throw usageFailure(error.message, error);
    throw error;
  }
}

/** Shipped rules, those of the configuration file, and those of --rules. Throws Failure with every mistake in them. */
export async function readRules(
  config: Config,
  flags: { readonly rules?: readonly string[]; readonly config?: string },
  options: { readonly recheck?: boolean } = {},
): Promise<RuleSet> {
  const { loadRules } = await import('../rules/load.js');
  const { dirs, disable, severity } = config.rules;
  return withRuleErrors(
    () => loadRules({ ...options, dirs: [...dirs, ...(flags.rules ?? [])], disable, severity }),
    flags.config,
  );
}

/** Turns mistakes in rules into a failure of usage; those in the configuration file are told with their line. */
export async function withRuleErrors<T>(work: () => T | Promise<T>, config?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { RuleErrors } = await import('../rules/rule-error.js');
    if (!(error instanceof RuleErrors)) throw error;
    if (config === undefined) throw usageFailure(error.message, error);
    const { placeRuleErrors } = await import('../config/index.js');
    throw usageFailure((await placeRuleErrors(config, error.errors)).join('\n'), error);
  }
}

/** The part of time that is looked at. Throws Failure when it is empty. */
export function timeWindow({ since, until }: InputFlags): { since?: number; until?: number } {
  if (since !== undefined && until !== undefined && since >= until) {
    throw usageFailure('--since is not before --until: nothing would be left');
  }
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
}

export function textWidth(flags: OutputFlags, terminal: Terminal): number {
  return flags.width ?? widthOf(terminal.stdout);
}

function time(flags: string, description: string, terminal: Terminal): Option {
  return new Option(flags, `${description} (2026-01-05T03:04:05Z, or 2h for two hours ago)`).argParser((text) =>
    parseTime(text, terminal.now()),
  );
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function collectServer(value: string, before: readonly ServerGlob[] = []): ServerGlob[] {
  const at = value.indexOf('=');
  if (at <= 0 || at === value.length - 1) {
    throw new InvalidArgumentError("Give NAME=GLOB, as in cp1='logs/cp1-*'.");
  }
  const assignment = { name: value.slice(0, at), glob: value.slice(at + 1) };
  try {
    compileGlob(assignment.glob);
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidArgumentError(error.message);
    throw error;
  }
  return [...before, assignment];
}

function parseListen(value: string): ListenAddress {
  const parsed = parseListenAddress(value);
  if (typeof parsed === 'string') throw new InvalidArgumentError(`It ${parsed}.`);
  return parsed;
}

function parseWidth(value: string): number {
  const columns = Number(value);
  if (!Number.isInteger(columns) || columns < 40 || columns > 1_000) {
    throw new InvalidArgumentError('Give a number of columns from 40 to 1000.');
  }
  return columns;
}
