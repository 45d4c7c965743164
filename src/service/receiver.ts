/** The audit webhook of the service: what apiservers post is written to a topic, and acknowledged when it is there. */

import type { WebhookConfig } from '../config/service-config.js';
import type { ServerAccess } from '../config/service-secrets.js';
import type { KafkaProducer, OutgoingMessage, SenderRules } from '../kafka/port.js';
import type { Clock } from '../outputs/delivery/clock.js';
import { openWebhook, type WebhookBatch, type WebhookTls } from '../sources/webhook/index.js';

export interface ReceiverOptions {
  readonly config: WebhookConfig;
  readonly access: ServerAccess;
  /** Headers that the service reads a sender's name from. */
  readonly sender: SenderRules;
  readonly deadLetters: string | undefined;
  readonly producer: KafkaProducer;
  readonly clock: Clock;
  readonly onMessage: (text: string) => void;
}

export interface Receiver {
  readonly url: string;
  /** Throws when the certificates cannot be used; the old ones stay. */
  reload(tls: WebhookTls): void;
  close(withinMs: number): Promise<void>;
}

const [SERVER_HEADER, CLUSTER_HEADER] = ['x-server', 'x-cluster'];

/** Resolves when it listens. Throws Error when it cannot. */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { config, access, sender, deadLetters, producer, clock, onMessage } = options;
  const names = {
    server: sender.serverHeaders[0] ?? SERVER_HEADER,
    cluster: sender.clusterHeaders[0] ?? CLUSTER_HEADER,
  };
  const webhook = await openWebhook({
    listen: config.address,
    ...access,
    maxInFlightBytes: config.maxInFlightBytes,
    maxBodyBytes: config.maxBodyBytes,
    store: (batch) => producer.send(config.topic, [messageOf(batch, names)]),
    ...(deadLetters === undefined
      ? {}
      : {
          deadLetter: (batch: WebhookBatch, reason: string) => {
            const { headers, ...message } = messageOf(batch, names);
            const told = { ...headers, 'skewscope-reason': reason.slice(0, 300), 'skewscope-topic': config.topic };
            return producer.send(deadLetters, [{ ...message, headers: told }]);
          },
        }),
    onMessage,
    now: clock.now,
  });
  return {
    url: webhook.url,
    reload: (tls) => webhook.reload(tls),
    async close(withinMs) {
      await webhook.close(withinMs);
      await producer.close();
    },
  };
}

/** All of one server in one partition, so that they stay in order. */
function messageOf(
  { body, server, cluster }: WebhookBatch,
  names: { server: string; cluster: string },
): OutgoingMessage {
  return {
    key: server,
    value: body,
    headers: { [names.server]: server, ...(cluster === '' ? {} : { [names.cluster]: cluster }) },
  };
}
