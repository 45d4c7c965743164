/** Slack's incoming webhooks, and the chat servers that understand them: one message for each cause. */
import { systemClock } from '../../delivery/clock.js';
import type { HttpClientOptions } from '../../delivery/http-client.js';
import { createReliableOutput, type DeliveryOptions } from '../../delivery/reliable-output.js';
import type { Output } from '../../output.js';
import { createHttpSink } from '../http-sink.js';
import { slackBody } from './body.js';

export interface SlackOptions {
  readonly name?: string;
  /** The URL is itself the secret. */
  readonly target: HttpClientOptions;
  readonly secrets?: readonly string[];
  readonly delivery?: Partial<DeliveryOptions>;
}

/** @example createSlack({ target: { url: process.env.SLACK_URL } }) */
export function createSlack({ name = 'slack', target, secrets = [], delivery = {} }: SlackOptions): Output {
  const sink = createHttpSink({
    name,
    targets: [target],
    batch: 1,
    clock: delivery.clock ?? systemClock,
    secrets: [...secrets, target.url, new URL(target.url).pathname],
    render([notice]) {
      if (notice === undefined) throw new RangeError('nothing to send');
      return { body: slackBody(notice), headers: { 'content-type': 'application/json; charset=utf-8' } };
    },
  });
  return createReliableOutput(sink, { group: 'cause', minSeverity: 'warning', ...delivery });
}
