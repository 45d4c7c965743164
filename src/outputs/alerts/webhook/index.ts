/** A webhook that takes CloudEvents 1.0, signed when a key is given. */
import { systemClock } from '../../delivery/clock.js';
import type { HttpClientOptions } from '../../delivery/http-client.js';
import { createReliableOutput, type DeliveryOptions } from '../../delivery/reliable-output.js';
import type { Output } from '../../output.js';
import { createHttpSink } from '../http-sink.js';
import { CLOUD_EVENT_TYPE, cloudEventText, eventId } from './cloud-event.js';
import { signatureHeaders } from './signature.js';

export interface WebhookOptions {
  readonly name?: string;
  readonly target: HttpClientOptions;
  /** Key of the HMAC-SHA256 signature. */
  readonly signingKey?: string;
  readonly secrets?: readonly string[];
  readonly delivery?: Partial<DeliveryOptions>;
}

/** @example createWebhook({ target: { url: 'https://hooks.example/skewscope' }, signingKey: 'whsec_…' }) */
export function createWebhook({
  name = 'webhook',
  target,
  signingKey,
  secrets = [],
  delivery = {},
}: WebhookOptions): Output {
  const sink = createHttpSink({
    name,
    targets: [target],
    batch: 1,
    clock: delivery.clock ?? systemClock,
    secrets,
    render([notice], nowMs) {
      if (notice === undefined) throw new RangeError('nothing to send');
      const body = cloudEventText(notice);
      const signed = signingKey === undefined ? {} : signatureHeaders(signingKey, eventId(notice), body, nowMs);
      return { body, headers: { 'content-type': CLOUD_EVENT_TYPE, ...signed } };
    },
  });
  return createReliableOutput(sink, delivery);
}
