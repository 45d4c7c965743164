/** PagerDuty's Events API v2: one incident for each cause, resolved when all of it is. */
import { systemClock } from '../../delivery/clock.js';
import type { HttpClientOptions } from '../../delivery/http-client.js';
import { createReliableOutput, type DeliveryOptions } from '../../delivery/reliable-output.js';
import type { Output } from '../../output.js';
import { createHttpSink } from '../http-sink.js';
import { pagerDutyBody } from './body.js';

export interface PagerDutyOptions {
  readonly name?: string;
  readonly routingKey: string;
  /** PagerDuty's own address unless given, as for its EU region or a gateway. */
  readonly target?: HttpClientOptions;
  readonly secrets?: readonly string[];
  readonly delivery?: Partial<DeliveryOptions>;
}

export const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';

/** @example createPagerDuty({ routingKey: process.env.PAGERDUTY_KEY }) */
export function createPagerDuty({
  name = 'pagerduty',
  routingKey,
  target = { url: PAGERDUTY_URL },
  secrets = [],
  delivery = {},
}: PagerDutyOptions): Output {
  const sink = createHttpSink({
    name,
    targets: [target],
    batch: 1,
    clock: delivery.clock ?? systemClock,
    secrets: [...secrets, routingKey],
    render([notice]) {
      if (notice === undefined) throw new RangeError('nothing to send');
      return { body: pagerDutyBody(notice, routingKey), headers: { 'content-type': 'application/json' } };
    },
    doubt: ({ type }) => (type === 'text/html' ? 'a web page came back; is the URL right?' : ''),
    payload: (notice) => pagerDutyBody(notice, '***'),
  });
  return createReliableOutput(sink, { group: 'cause', minSeverity: 'warning', ...delivery });
}
