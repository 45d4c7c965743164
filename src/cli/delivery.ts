/** Sends what a command finds to the outputs of flags and configuration, and says what did not arrive. */
import { resolve } from 'node:path';
import { addressMistake, isReference } from '../config/address.js';
import type { Config, OutputsConfig } from '../config/index.js';
import type { ListenAddress } from '../config/listen-address.js';
import { refusedText, waitingText } from '../outputs/delivery/delivery-news.js';
import type { LaneResult, Output, OutputBatch, OutputsEnvironment, Undelivered } from '../outputs/index.js';
import type { Metrics } from '../outputs/metrics/index.js';
import { escapeText } from '../report/text/escape.js';
import type { OutputFlags, SendFlags } from './analysis-options.js';
import { usageFailure } from './failure.js';
import type { MetricsEndpoint } from './metrics-endpoint.js';
import { StreamOutput } from './output.js';
import { type Terminal, tell } from './terminal.js';

export interface Delivery {
  /** False in a run that has no outputs. */
  readonly active: boolean;
  /** Returns at once. */
  push(batch: OutputBatch): void;
  /** Waits for receivers, within the deadline; tells what was sent and what was not. False when something was not. */
  finish(): Promise<boolean>;
}

/** Of a run that has no outputs. */
const NO_DELIVERY: Delivery = { active: false, push: () => {}, finish: async () => true };

const DEADLINE_MS = 30_000;
/** Who has pressed Ctrl-C does not want to wait. */
const INTERRUPTED_DEADLINE_MS = 3_000;
/** Findings of one cause come in quick succession. */
const GATHER_MS = 5_000;

/** `continuous`: the run goes on with its input. Throws Failure when an output cannot work as configured. */
export async function openDelivery(
  flags: SendFlags & Pick<OutputFlags, 'output'>,
  config: Config,
  terminal: Terminal,
  continuous: boolean,
): Promise<Delivery> {
  const configured = await outputsOf(flags, config, terminal);
  const listen = continuous ? (flags.metricsListen ?? config.outputs?.metrics?.listen) : undefined;
  if (configured === undefined && listen === undefined) return NO_DELIVERY;
  const section = configured ?? { folder: '.' };
  checkStdout(section, flags);
  const metrics = listen !== undefined || section.otlp !== undefined ? await newMetrics(terminal) : undefined;
  const known = metrics === undefined ? {} : { metrics };
  const stdoutTaken = (flags.output ?? '-') === '-';
  const outputs = await openedOutputs(section, terminal, { continuous, stdoutTaken, ...known });
  const endpoint = await openedEndpoint(listen, metrics, outputs, terminal);
  const { allDelivered, Lanes, systemClock } = await import('../outputs/index.js');
  const onMessage = (message: string) => tell(terminal, escapeText(message));
  // A single run tells everything at its end; a long one tells trouble when it comes.
  const whileRunning = continuous ? onMessage : () => {};
  const lanes = new Lanes(outputs, {
    clock: systemClock,
    onMessage: whileRunning,
    gatherMs: continuous ? GATHER_MS : 0,
    onReport: (output, report) => metrics?.delivered(output, report),
  });
  return {
    active: true,
    push(batch) {
      metrics?.update(batch);
      lanes.push(batch);
    },
    async finish() {
      const deadline = section.deadline ?? DEADLINE_MS;
      try {
        const results = await lanes.finish(
          terminal.interrupted.aborted ? Math.min(deadline, INTERRUPTED_DEADLINE_MS) : deadline,
        );
        const spooled = section.spool !== undefined;
        for (const result of results) {
          for (const line of linesOf(result, spooled)) onMessage(`${result.name}: ${line}`);
        }
        return allDelivered(results);
      } finally {
        await endpoint?.close();
      }
    },
  };
}

function checkStdout({ ndjson, otlp }: OutputsConfig, { output }: Pick<OutputFlags, 'output'>): void {
  if ((output ?? '-') !== '-') return;
  const writer =
    ndjson?.some(({ path }) => path === '-') === true ? 'an ndjson' : otlp?.console ? 'the OTLP console' : '';
  if (writer === '') return;
  throw usageFailure(
    `${writer} output writes to standard output, where the result goes too; give -o FILE for the result`,
  );
}

/** Metrics that count from now on. */
export async function newMetrics({ now, env }: Pick<Terminal, 'now' | 'env'>): Promise<Metrics> {
  const [{ Metrics, resourceOf }, { hostname }] = await Promise.all([
    import('../outputs/metrics/index.js'),
    import('node:os'),
  ]);
  return new Metrics({ startMs: now(), instance: hostname(), resource: resourceOf(env) });
}

/** Listens, and says where. Closes the outputs when that fails. */
async function openedEndpoint(
  listen: ListenAddress | undefined,
  metrics: Metrics | undefined,
  outputs: readonly Output[],
  terminal: Terminal,
): Promise<MetricsEndpoint | undefined> {
  if (listen === undefined || metrics === undefined) return undefined;
  try {
    const { openMetricsEndpoint } = await import('./metrics-endpoint.js');
    const endpoint = await openMetricsEndpoint(listen, metrics, terminal.now);
    tell(terminal, `metrics at ${endpoint.url}`);
    return endpoint;
  } catch (error) {
    await Promise.all(outputs.map((output) => output.close()));
    throw error;
  }
}

function linesOf({ delivered, known, waiting, refused, spools }: LaneResult, spooled: boolean): string[] {
  const sent = delivered === 0 ? [] : [`${delivered} delivered`];
  const old = known === 0 ? [] : [`${known} sent or turned down before`];
  const summary = [...sent, ...old].join(', ');
  return [
    ...(summary === '' ? [] : [summary]),
    ...waiting.map((entry) => `not delivered: ${waitingText(entry)}${adviceFor(entry, spooled || !spools)}`),
    ...refused.map((entry) => `not delivered: ${refusedText(entry)}`),
  ];
}

/** `settled`: there is a spool, or none would help. */
function adviceFor({ where }: Undelivered, settled: boolean): string {
  if (where !== null) return '; the next run with this spool sends them';
  return settled ? '' : '; they end with this run, --spool DIR would keep them';
}

/** Opens what is configured. Throws Failure when an output cannot work. */
export async function openedOutputs(
  section: OutputsConfig,
  terminal: Terminal,
  mode: Pick<OutputsEnvironment, 'continuous' | 'trial' | 'metrics' | 'stdoutTaken'>,
): Promise<Output[]> {
  const { OutputError, openOutputs, systemClock } = await import('../outputs/index.js');
  const stdout = new StreamOutput(terminal.stdout);
  try {
    return await openOutputs(section, {
      ...mode,
      env: terminal.env,
      clock: systemClock,
      onMessage: (message) => tell(terminal, escapeText(message)),
      writeStdout: (text) => stdout.write(text),
    });
  } catch (error) {
    if (error instanceof OutputError) throw usageFailure(error.message, error);
    throw error;
  }
}

/** Flags are added to what the file configures; undefined when nothing is to be sent. */
export async function outputsOf(
  flags: SendFlags,
  { outputs }: Config,
  { env }: Pick<Terminal, 'env'>,
): Promise<OutputsConfig | undefined> {
  checkAddress('--otlp-endpoint', flags.otlpEndpoint);
  for (const url of flags.alertmanagerUrl ?? []) checkAddress('--alertmanager-url', url);
  for (const url of flags.webhookUrl ?? []) checkAddress('--webhook-url', url);
  const given: OutputsConfig = {
    folder: outputs?.folder ?? '.',
    ...outputs,
    ...added(
      'alertmanager',
      outputs?.alertmanager,
      (flags.alertmanagerUrl ?? []).map((url) => ({ urls: [url] })),
    ),
    ...added(
      'webhook',
      outputs?.webhook,
      (flags.webhookUrl ?? []).map((url) => ({ url })),
    ),
    ...(flags.spool === undefined ? {} : { spool: { ...outputs?.spool, dir: resolve(flags.spool) } }),
    ...(flags.otlpEndpoint === undefined ? {} : { otlp: { ...outputs?.otlp, endpoint: flags.otlpEndpoint } }),
  };
  const otlp = given.otlp ?? ((await otlpInEnvironment(env)) ? {} : undefined);
  const section = otlp === undefined ? given : { ...given, otlp };
  const lists = [
    section.alertmanager,
    section.webhook,
    section.slack,
    section.pagerduty,
    section.ndjson,
    section.kafka,
  ];
  const any = otlp !== undefined || lists.some((list) => list !== undefined && list.length > 0);
  if (!any && section.spool !== undefined && flags.spool !== undefined) {
    throw usageFailure('--spool keeps messages for outputs, and there is none; give one, as with --webhook-url');
  }
  return any ? section : undefined;
}

/** The value is not quoted: it may hold a secret. */
function checkAddress(flag: string, value: string | undefined): void {
  const mistake = value === undefined || isReference(value) ? '' : addressMistake(value);
  if (mistake !== '') throw usageFailure(`the value of ${flag} ${mistake}`);
}

function added<K extends string, T>(key: K, configured: readonly T[] | undefined, flags: readonly T[]) {
  return flags.length === 0 ? {} : { [key]: [...(configured ?? []), ...flags] };
}

/** The standard variables switch OTLP on by naming an endpoint or an exporter. */
async function otlpInEnvironment(env: Terminal['env']): Promise<boolean> {
  if (!Object.keys(env).some((name) => /^OTEL_.*(ENDPOINT|EXPORTER)$/.test(name))) return false;
  const { isOtlpInEnvironment } = await import('../outputs/otlp/index.js');
  return isOtlpInEnvironment(env);
}
