/** Alertmanager, API v2: one alert for each finding, sent again while it is open, ended when it is resolved. */
import { systemClock } from '../../delivery/clock.js';
import type { HttpClientOptions } from '../../delivery/http-client.js';
import type { Notice } from '../../delivery/notice.js';
import { createReliableOutput, type DeliveryOptions } from '../../delivery/reliable-output.js';
import type { Output } from '../../output.js';
import { createHttpSink } from '../http-sink.js';
import { alertOf, alertsBody, type PostableAlert } from './body.js';
import { type Labels, labelsOf } from './labels.js';

export interface AlertmanagerOptions {
  readonly name?: string;
  /** Base URLs, as in `http://alertmanager:9093`; several are the replicas of one Alertmanager. */
  readonly targets: readonly HttpClientOptions[];
  /** Labels added to every alert. */
  readonly labels?: Labels;
  /** Time between reminders, in milliseconds; jittered by a quarter. */
  readonly remindMs?: number;
  /** How long an alert lives that nobody repeats: four reminders while the program stays, an hour after a single run. */
  readonly holdMs?: number;
  readonly secrets?: readonly string[];
  readonly delivery?: Partial<DeliveryOptions>;
}

const PATH = '/api/v2/alerts';
const BATCH = 64;
/** Alerts whose labels are remembered, to end them when an update gives them others. */
const MAX_REMEMBERED = 10_000;

/** @example createAlertmanager({ targets: [{ url: 'http://127.0.0.1:9093' }], labels: { team: 'platform' } }) */
export function createAlertmanager({
  name = 'alertmanager',
  targets,
  labels = {},
  remindMs = 60_000,
  holdMs,
  secrets = [],
  delivery = {},
}: AlertmanagerOptions): Output {
  const hold = holdMs ?? (delivery.continuous === true ? remindMs * 4 : 60 * 60_000);
  const told = new LabelBook();
  const render = (notices: readonly Notice[], nowMs: number): PostableAlert[] =>
    notices.flatMap((notice) => {
      const alert = alertOf(notice, nowMs, { labels, holdMs: hold });
      const former = told.former(notice.key, alert.labels);
      // Another severity makes another alert: the former would go on beside it.
      return former === undefined ? [alert] : [{ ...alert, labels: former, endsAt: alert.startsAt }, alert];
    });
  const sink = createHttpSink({
    name,
    targets: targets.map((target) => ({ ...target, url: withPath(target.url) })),
    batch: BATCH,
    remindMs,
    clock: delivery.clock ?? systemClock,
    secrets,
    render: (notices, nowMs) => ({
      body: alertsBody(render(notices, nowMs)),
      headers: { 'content-type': 'application/json' },
    }),
    delivered(notices) {
      for (const notice of notices) told.remember(notice.key, labelsOf(notice, labels));
    },
    doubt: ({ type }) => (type === 'text/html' ? 'a web page came back; is it the URL of an Alertmanager?' : ''),
    payload: (notice) => alertsBody([alertOf(notice, notice.atMs, { labels, holdMs: hold })]),
  });
  return createReliableOutput(sink, { ...delivery, storm: delivery.storm ?? { limit: 200, windowMs: 10 * 60_000 } });
}

/** The labels under which the receiver knows each incident. */
class LabelBook {
  readonly #labels = new Map<string, Labels>();

  /** Those that it knows, when they are others. */
  former(key: string, now: Labels): Labels | undefined {
    const known = this.#labels.get(key);
    return known === undefined || JSON.stringify(known) === JSON.stringify(now) ? undefined : known;
  }

  remember(key: string, labels: Labels): void {
    this.#labels.delete(key);
    this.#labels.set(key, labels);
    const [oldest] = this.#labels.keys();
    if (this.#labels.size > MAX_REMEMBERED && oldest !== undefined) this.#labels.delete(oldest);
  }
}

function withPath(base: string): string {
  const url = new URL(base);
  if (!url.pathname.endsWith(PATH)) url.pathname = `${url.pathname.replace(/\/$/, '')}${PATH}`;
  return url.href;
}
