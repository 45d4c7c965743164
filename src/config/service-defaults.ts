/** Fills in what the file leaves out about the service. */
import type { z } from 'zod';
import {
  DEFAULT_LISTEN,
  DEFAULT_SERVICE,
  type KafkaConfig,
  type ListenConfig,
  type ServiceConfig,
} from './service-config.js';
import type { kafkaSchema, listenSchema, serviceSchema } from './service-schema.js';
import { parseTopic } from './topic-pattern.js';

const MIB = 2 ** 20;
const SERVER_HEADERS = ['x-server', 'node', 'host', 'hostname'];
const CLUSTER_HEADERS = ['cluster', 'x-cluster'];

export function kafkaConfig(section: z.output<typeof kafkaSchema>): KafkaConfig {
  const { brokers, clientId = 'skewscope', tls, sasl, server = {}, scaleOut } = section;
  const { group = 'skewscope', from = 'latest', committedOnly = true } = section;
  const { deadLetters = deadLettersOf(group) } = section;
  return {
    connection: { brokers, clientId, ...(tls === undefined ? {} : { tls }), ...(sasl === undefined ? {} : { sasl }) },
    group,
    topics: section.topics.map(parseTopic),
    from,
    committedOnly,
    sender: {
      serverHeaders: lowerCase(server.headers ?? SERVER_HEADERS),
      clusterHeaders: lowerCase(server.clusterHeaders ?? CLUSTER_HEADERS),
      key: server.key ?? 'auto',
      topic: server.topic === undefined ? undefined : new RegExp(server.topic),
    },
    deadLetters: deadLetters === 'off' || deadLetters === false ? undefined : deadLetters,
    scaleOut: scaleOut && {
      topic: scaleOut.topic ?? 'skewscope-internal',
      partitions: scaleOut.partitions ?? 12,
      compression: scaleOut.compression ?? 'lz4',
    },
  };
}

export function deadLettersOf(group: string): string {
  return `${group}.dead-letters`;
}

export function serviceConfig(section: z.output<typeof serviceSchema>): ServiceConfig {
  return {
    windowMs: section.window ?? DEFAULT_SERVICE.windowMs,
    drainMs: section.drain ?? DEFAULT_SERVICE.drainMs,
    readyLagMs: section.readyLag ?? DEFAULT_SERVICE.readyLagMs,
    logLevel: section.logLevel ?? DEFAULT_SERVICE.logLevel,
  };
}

export function listenConfig(section: z.output<typeof listenSchema>, kafka: KafkaConfig | undefined): ListenConfig {
  const { admin = DEFAULT_LISTEN.admin, token, tls, webhook } = section;
  return {
    admin: typeof admin === 'object' ? admin : undefined,
    token,
    tls,
    webhook: webhook && {
      address: webhook.address,
      tls: webhook.tls,
      token: webhook.token,
      topic: webhook.topic ?? kafka?.topics.find((topic) => typeof topic === 'string') ?? '',
      maxInFlightBytes: webhook.maxInFlight ?? 64 * MIB,
      maxBodyBytes: webhook.maxBody ?? 32 * MIB,
    },
  };
}

function lowerCase(names: readonly string[]): string[] {
  return names.map((name) => name.toLowerCase());
}
