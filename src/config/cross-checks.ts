/** What keys of the configuration file must hold together, beyond what each must hold alone. */
import { compileGlob } from '../sources/glob.js';
import type { Config } from './config.js';
import type { Path } from './explain.js';
import { isLoopbackHost, type ListenAddress } from './listen-address.js';
import type { KafkaConfig } from './service-config.js';
import { isTopicName, takenInBy } from './topic-pattern.js';

export interface CrossMistake {
  readonly path: Path;
  /** To be put behind the name of the key, unless `whole`. */
  readonly message: string;
  readonly whole?: boolean;
  /** Other keys that it depends on. */
  readonly about?: readonly Path[];
}

/** All of them, in the order of the sections. */
export function crossMistakes(config: Config): CrossMistake[] {
  return [...globMistakes(config), ...kafkaMistakes(config), ...adminMistakes(config), ...webhookMistakes(config)];
}

function globMistakes({ servers }: Config): CrossMistake[] {
  return servers.flatMap(({ name, glob }) => {
    try {
      compileGlob(glob);
      return [];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return [{ path: ['servers', name], message: error.message, whole: true }];
    }
  });
}

function kafkaMistakes({ kafka, outputs }: Config): CrossMistake[] {
  if (kafka === undefined) return [];
  const { topics, deadLetters, scaleOut, group, connection } = kafka;
  const mistakes: CrossMistake[] = [];
  topics.forEach((topic, at) => {
    if (topics.findIndex((other) => String(other) === String(topic)) < at) {
      mistakes.push({ path: ['kafka', 'topics', at], message: 'is in the list before; leave one out' });
    }
  });
  mistakes.push(...readAgain(kafka, scaleOut?.topic, 'the topic of kafka.scaleOut', [SCALE_OUT]));
  mistakes.push(...readAgain(kafka, deadLetters, 'the topic of kafka.deadLetters', DEAD_LETTERS));
  outputs?.kafka?.forEach(({ topic, brokers }, at) => {
    if (!brokers.some((broker) => connection.brokers.includes(broker))) return;
    const about = [BROKERS, ...['topic', 'brokers'].map((key) => ['outputs', 'kafka', at, key])];
    mistakes.push(...readAgain(kafka, topic, `the topic of outputs.kafka.${at}`, about));
  });
  if (deadLetters !== undefined && deadLetters === scaleOut?.topic) {
    const message = 'is the topic of kafka.scaleOut; give each its own';
    mistakes.push({ path: ['kafka', 'deadLetters'], message, about: [SCALE_OUT, ...DEAD_LETTERS] });
  }
  if (deadLetters !== undefined && !isTopicName(deadLetters)) {
    const message = 'makes no topic name with ".dead-letters" behind it; give kafka.deadLetters a topic, or off';
    mistakes.push({ path: ['kafka', 'group'], message: `"${group}" ${message}`, about: DEAD_LETTERS });
  }
  if ((connection.tls?.cert === undefined) !== (connection.tls?.key === undefined)) {
    const about = ['cert', 'key'].map((key) => ['kafka', 'tls', key]);
    mistakes.push({ path: ['kafka', 'tls'], message: 'needs cert and key, or none of them', about });
  }
  return mistakes;
}

/** What the service writes must not come back as input. */
function readAgain(
  { topics }: KafkaConfig,
  topic: string | undefined,
  role: string,
  about: readonly Path[],
): CrossMistake[] {
  const by = topic === undefined ? undefined : takenInBy(topics, topic);
  if (topic === undefined || by === undefined) return [];
  const message =
    typeof by === 'string'
      ? `is ${role} as well: what is written there would be read again; give that another`
      : `fits ${topic}, ${role}: what is written there would be read again; narrow the pattern, or give that another`;
  return [{ path: ['kafka', 'topics', topics.indexOf(by)], message, about }];
}

const SCALE_OUT: Path = ['kafka', 'scaleOut', 'topic'];
const TOPICS: Path = ['kafka', 'topics'];
const BROKERS: Path = ['kafka', 'brokers'];
/** Unless it is given, the name comes from that of the group. */
const DEAD_LETTERS: readonly Path[] = [
  ['kafka', 'deadLetters'],
  ['kafka', 'group'],
];

function adminMistakes({ listen: { admin, token } }: Config): CrossMistake[] {
  if (admin === undefined || isLoopbackHost(admin.host) || token !== undefined) return [];
  const message = 'is reached from other machines; give listen.token, or 127.0.0.1 as its host';
  return [{ path: ['listen', 'admin'], message, about: [['listen', 'token']] }];
}

function webhookMistakes({ kafka, listen: { admin, webhook } }: Config): CrossMistake[] {
  if (webhook === undefined) return [];
  const at = (key: string) => ['listen', 'webhook', key];
  const { address, topic, token, tls } = webhook;
  const mistakes: CrossMistake[] = [];
  if (!isLoopbackHost(address.host) && token === undefined && tls?.clientCa === undefined) {
    const message = 'is reached from other machines; give token or tls.clientCa beside it, or 127.0.0.1 as its host';
    mistakes.push({ path: at('address'), message, about: [at('token'), at('tls')] });
  }
  if (admin !== undefined && collide(admin, address)) {
    const message = 'is that of listen.admin as well; give another port';
    mistakes.push({ path: at('address'), message, about: [['listen', 'admin']] });
  }
  if (webhook.maxInFlightBytes < webhook.maxBodyBytes) {
    const message = 'is less than maxBody: the largest batch would never be taken';
    mistakes.push({ path: at('maxInFlight'), message, about: [at('maxBody')] });
  }
  if (kafka === undefined) {
    const message = 'needs the section kafka: batches are written to a topic before they are acknowledged';
    mistakes.push({ path: ['listen', 'webhook'], message, about: [['kafka']] });
  } else if (topic === '') {
    const message = 'needs a topic to write batches to; kafka.topics has only patterns, so give topic here';
    mistakes.push({ path: ['listen', 'webhook'], message, about: [TOPICS, at('topic')] });
  } else if (takenInBy(kafka.topics, topic) === undefined) {
    mistakes.push({ path: at('topic'), message: `is not read: add ${topic} to kafka.topics`, about: [TOPICS] });
  }
  return mistakes;
}

function collide(one: ListenAddress, other: ListenAddress): boolean {
  if (one.port !== other.port || one.port === 0) return false;
  return one.host === other.host || [one, other].some(({ host }) => host === '0.0.0.0' || host === '::');
}
