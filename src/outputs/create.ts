/** From the configuration to outputs: names, folders in the spool, secrets read, everything opened. */
import { isAbsolute, join } from 'node:path';
import type { OutputsConfig } from '../config/config.js';
import { createAlertmanager } from './alerts/alertmanager/index.js';
import { createKafka } from './alerts/kafka/index.js';
import { createNdjson } from './alerts/ndjson/index.js';
import { createPagerDuty, PAGERDUTY_URL } from './alerts/pagerduty/index.js';
import { createSlack } from './alerts/slack/index.js';
import { createWebhook } from './alerts/webhook/index.js';
import { type CommonSettings, deliveryOptions, httpTarget, kafkaSettings, spoolFolder } from './create-options.js';
import type { Clock } from './delivery/clock.js';
import { resolveText, type SecretSource } from './delivery/secrets.js';
import { leftBehind } from './left-behind.js';
import type { Metrics } from './metrics/index.js';
import { type Output, OutputError } from './output.js';

export interface OutputsEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the run goes on: open alerts are sent again while it does. */
  readonly continuous: boolean;
  readonly clock: Clock;
  /** What an operator must know at once. */
  readonly onMessage: (message: string) => void;
  readonly writeStdout: (text: string) => Promise<void>;
  /** The result goes to standard output, so that no variable of the environment may lead anything else there. */
  readonly stdoutTaken?: boolean;
  /** Sent with OTLP; whoever has batches updates them. */
  readonly metrics?: Metrics;
  /** Receivers are only tried out: nothing is kept on disk, every severity is sent, and alerts end soon. */
  readonly trial?: boolean;
}

const TRIAL_HOLD_MS = 5 * 60_000;
/** An output whose folder is well opens sooner. */
const SLOW_MS = 10_000;

/** Opens all outputs. Throws OutputError with the first that cannot work; none is left open then. */
export async function openOutputs(config: OutputsConfig, environment: OutputsEnvironment): Promise<Output[]> {
  const ids = new Set<string>();
  const outputs = await createOutputs(config, environment, ids);
  try {
    for (const output of outputs) await openOrTell(output, environment);
    await tellLeftBehind(config, environment, ids);
    return outputs;
  } catch (error) {
    await Promise.all(outputs.map((output) => output.close()));
    throw error;
  }
}

/** A disk that hangs says nothing by itself. */
async function openOrTell(output: Output, { clock, onMessage }: OutputsEnvironment): Promise<void> {
  const opened = new AbortController();
  void clock.sleep(SLOW_MS, opened.signal).then(() => {
    if (opened.signal.aborted) return;
    onMessage(`${output.name} does not open: is the folder of its spool on a disk that answers?`);
  });
  try {
    await output.open?.();
  } finally {
    opened.abort();
  }
}

async function tellLeftBehind(
  config: OutputsConfig,
  { trial, onMessage }: OutputsEnvironment,
  ids: ReadonlySet<string>,
): Promise<void> {
  const spool = trial === true ? null : spoolFolder(config, '.');
  if (spool === null) return;
  for (const folder of await leftBehind(spool, ids)) {
    onMessage(
      `messages wait in ${folder} for an output that is not configured; give one that \`name\`, or move them away`,
    );
  }
}

/** Adds the names of their folders to `ids`. */
async function createOutputs(
  config: OutputsConfig,
  environment: OutputsEnvironment,
  ids: Set<string>,
): Promise<Output[]> {
  const source: SecretSource = { env: environment.env, folder: config.folder };
  const name = namer(config, ids);
  const delivery = (settings: CommonSettings, folder: string) => deliveryOptions(settings, folder, config, environment);
  const outputs: Output[] = [];
  for (const settings of config.alertmanager ?? []) {
    const { id, ...rest } = name('alertmanager', settings);
    const targets = settings.urls.map((url) => httpTarget({ ...settings, url }, source));
    const { remind: remindMs, hold: holdMs, labels } = settings;
    outputs.push(
      createAlertmanager({
        ...rest,
        targets: targets.map(({ target }) => target),
        secrets: targets.flatMap(({ secrets }) => secrets),
        ...(labels === undefined ? {} : { labels }),
        ...(remindMs === undefined ? {} : { remindMs }),
        ...(environment.trial === true ? { holdMs: TRIAL_HOLD_MS } : holdMs === undefined ? {} : { holdMs }),
        delivery: delivery(settings, id),
      }),
    );
  }
  for (const settings of config.webhook ?? []) {
    const { id, ...rest } = name('webhook', settings);
    const key = settings.signingKey === undefined ? undefined : resolveText(settings.signingKey, source);
    const signing = key === undefined ? {} : { signingKey: key };
    outputs.push(
      createWebhook({ ...rest, ...httpTarget(settings, source), ...signing, delivery: delivery(settings, id) }),
    );
  }
  for (const settings of config.slack ?? []) {
    const { id, ...rest } = name('slack', settings);
    outputs.push(createSlack({ ...rest, ...httpTarget(settings, source), delivery: delivery(settings, id) }));
  }
  for (const settings of config.pagerduty ?? []) {
    const { id, ...rest } = name('pagerduty', settings);
    const http = httpTarget({ ...settings, url: settings.url ?? PAGERDUTY_URL }, source);
    const routingKey = resolveText(settings.routingKey, source);
    outputs.push(createPagerDuty({ ...rest, ...http, routingKey, delivery: delivery(settings, id) }));
  }
  for (const settings of config.ndjson ?? []) {
    const { id, ...rest } = name('ndjson', settings);
    const { path } = settings;
    const target = path === '-' ? environment.writeStdout : isAbsolute(path) ? path : join(config.folder, path);
    outputs.push(createNdjson({ ...rest, target, delivery: delivery(settings, id) }));
  }
  for (const settings of config.kafka ?? []) {
    const { id, ...rest } = name('kafka', settings);
    const { topic } = settings;
    const connection = kafkaSettings(settings, source);
    outputs.push(createKafka({ ...rest, topic, connection, delivery: delivery(settings, id) }));
  }
  if (config.otlp !== undefined) {
    const { openOtlp } = await import('./create-otlp.js');
    outputs.push(...openOtlp(config.otlp, config, environment));
  }
  return outputs;
}

/** Of the output at this place, from 0, in the list of its kind. */
export function defaultName(kind: string, at: number): string {
  return at === 0 ? kind : `${kind}-${at + 1}`;
}

/** Gives names, by kind and place in the list unless configured. Throws OutputError on one that is given twice. */
function namer(config: OutputsConfig, taken: Set<string>) {
  if (config.otlp !== undefined) taken.add('otlp');
  if (config.otlp?.file !== undefined) taken.add('otlp-file');
  const counts = new Map<string, number>();
  return (kind: string, { name }: CommonSettings): { readonly id: string; readonly name: string } => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const id = name ?? defaultName(kind, count - 1);
    if (taken.has(id)) throw new OutputError(`two outputs are called ${id}; give one of them another \`name\``);
    taken.add(id);
    return { id, name: id };
  };
}
