/** Whether the topics of the configuration are there, as Kafka tells. */
import { KafkaFailure } from '../../kafka/port.js';
import type { Config } from '../config.js';
import { ConfigError } from '../parse-config.js';
import type { KafkaConfig } from '../service-config.js';
import { serviceSecrets } from '../service-secrets.js';
import { takenInBy } from '../topic-pattern.js';
import type { CheckEnvironment } from './index.js';
import type { Remark } from './remark.js';

interface Asked {
  readonly remarks: readonly Remark[];
  readonly summary: readonly string[];
  readonly unreachable: string;
}

const MAX_SHOWN = 20;
const NOTHING: Asked = { remarks: [], summary: [], unreachable: '' };

/** Asks only where it is told how, and there is a Kafka to ask. */
export async function askKafka(config: Config, { env, listTopics }: CheckEnvironment): Promise<Asked> {
  const { kafka } = config;
  if (listTopics === undefined || kafka === undefined) return NOTHING;
  try {
    const settings = serviceSecrets(config, env).kafka;
    if (settings === undefined) return NOTHING;
    // Those that Kafka has for itself are never read.
    const topics = new Map([...(await listTopics(settings))].filter(([name]) => !name.startsWith('__')));
    return { remarks: remarksOf(config, kafka, topics), summary: [foundText(kafka, topics)], unreachable: '' };
  } catch (error) {
    if (!(error instanceof KafkaFailure || error instanceof ConfigError)) throw error;
    return { ...NOTHING, unreachable: `Kafka: ${error.message}` };
  }
}

function remarksOf({ listen }: Config, kafka: KafkaConfig, topics: ReadonlyMap<string, number>): Remark[] {
  const warnings: Remark[] = [];
  const warn = (path: Remark['path'], message: string) => warnings.push({ level: 'warning', path, message });
  kafka.topics.forEach((topic, at) => {
    if ([...topics.keys()].some((name) => takenInBy([topic], name) !== undefined)) return;
    const what = typeof topic === 'string' ? 'is no topic yet' : 'fits no topic yet';
    warn(['kafka', 'topics', at], `${what}, or this user may not see it; it is read when it is there`);
  });
  const inside = kafka.scaleOut && topics.get(kafka.scaleOut.topic);
  if (inside !== undefined && inside !== kafka.scaleOut?.partitions) {
    warn(['kafka', 'scaleOut', 'partitions'], `is not what the topic has: it was made with ${inside}, which holds`);
  }
  const taking = listen.webhook?.topic;
  if (taking !== undefined && !topics.has(taking)) {
    warn(['listen', 'webhook'], `writes to ${taking}, which is no topic yet, or this user may not see it; make it`);
  }
  return warnings;
}

function foundText(kafka: KafkaConfig, topics: ReadonlyMap<string, number>): string {
  const read = [...topics].filter(([name]) => takenInBy(kafka.topics, name) !== undefined).sort();
  const shown = read.slice(0, MAX_SHOWN).map(([name, partitions]) => `${name} (${partitions})`);
  const more = read.length > MAX_SHOWN ? [`${read.length - MAX_SHOWN} more`] : [];
  return `found     ${read.length === 0 ? 'no topic yet' : `${[...shown, ...more].join(', ')}, with partitions`}`;
}
