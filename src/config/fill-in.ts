/** From the sections of the service as they are written to what the program uses. */
import type { z } from 'zod';
import type { KafkaConfig, ListenConfig, ServiceConfig } from './service-config.js';
import type { kafkaSchema, listenSchema, serviceSchema } from './service-schema.js';
import { parseTopic } from './topic-pattern.js';

export function kafkaConfig(section: z.output<typeof kafkaSchema>): KafkaConfig {
  const { brokers, clientId = 'skewscope', tls, sasl, server, group } = section;
  const { deadLetters = `${group}.dead-letters` } = section;
  return {
    connection: {
      brokers,
      clientId,
      sessionMs: section.session,
      ...(tls === undefined ? {} : { tls }),
      ...(sasl === undefined ? {} : { sasl }),
    },
    group,
    topics: section.topics.map(parseTopic),
    from: section.from,
    committedOnly: section.committedOnly,
    sender: {
      serverHeaders: lowerCase(server.headers),
      clusterHeaders: lowerCase(server.clusterHeaders),
      key: server.key,
      topic: server.topic === undefined ? undefined : new RegExp(server.topic),
    },
    deadLetters: deadLetters === 'off' || deadLetters === false ? undefined : deadLetters,
    scaleOut: section.scaleOut,
  };
}

export function serviceConfig({ window, drain, readyLag, logLevel }: z.output<typeof serviceSchema>): ServiceConfig {
  return { windowMs: window, drainMs: drain, readyLagMs: readyLag, logLevel };
}

/** A webhook without a topic to write to gets '' as topic. */
export function listenConfig(section: z.output<typeof listenSchema>, kafka: KafkaConfig | undefined): ListenConfig {
  const { admin, token, tls, webhook } = section;
  return {
    admin: typeof admin === 'object' ? admin : undefined,
    token,
    tls,
    webhook: webhook && {
      address: webhook.address,
      tls: webhook.tls,
      token: webhook.token,
      topic: webhook.topic ?? kafka?.topics.find((topic) => typeof topic === 'string') ?? '',
      maxInFlightBytes: webhook.maxInFlight,
      maxBodyBytes: webhook.maxBody,
    },
  };
}

function lowerCase(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase());
}
