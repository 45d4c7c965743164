/** What the Kafka client tells an operator: without secrets, bounded, and not the same thing over and over. */
import type { logCreator } from 'kafkajs';
import type { Clock } from '../../outputs/delivery/clock.js';

export type MessageLevel = 'error' | 'warn' | 'info';
export type OnMessage = (level: MessageLevel, text: string) => void;

export interface Teller {
  tell: OnMessage;
  /** For chatter: what differs in numbers only is the same message. */
  tellOnce: OnMessage;
  /** From now on this text is left out of messages. */
  hide(secret: string): void;
}

/** The same message comes at most once in this time. */
const REPEAT_MS = 30_000;
const MAX_CHARS = 500;
/** Control characters, and those that turn the direction of text. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
const MAX_KEPT = 200;
/** Tokens are renewed for ever; the old ones are worth nothing. */
const MAX_SECRETS = 16;

export function createTeller(onMessage: OnMessage, clock: Pick<Clock, 'now'>): Teller {
  const told = new Map<string, { until: number; withheld: number }>();
  const secrets: string[] = [];

  function tell(level: MessageLevel, text: string, kindOf: (plain: string) => string): void {
    const clean = secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text).slice(0, MAX_CHARS);
    const plain = clean.replaceAll(UNSEEN, ' ');
    const kind = `${level} ${kindOf(plain)}`;
    const now = clock.now();
    const before = told.get(kind);
    if (before !== undefined && now < before.until) {
      before.withheld++;
      return;
    }
    if (told.size >= MAX_KEPT) told.clear();
    told.set(kind, { until: now + REPEAT_MS, withheld: 0 });
    const more = before === undefined || before.withheld === 0 ? '' : ` (and ${before.withheld} more like this)`;
    onMessage(level, plain + more);
  }

  return {
    hide(secret) {
      if (secret.length < 4 || secrets.includes(secret)) return;
      if (secrets.push(secret) > MAX_SECRETS) secrets.splice(1, 1);
    },
    tell: (level, text) => tell(level, text, (plain) => plain),
    tellOnce: (level, text) => tell(level, text, (plain) => plain.replaceAll(/\d+/g, '0')),
  };
}

/**
 * kafkajs's own warnings and errors are about something that it tries again; whoever asked for it tells what fails for good.
 */
export function tellKafkajs({ tellOnce }: Teller): logCreator {
  return () =>
    ({ log }) => {
      const { message, error, broker, topic, partition } = log;
      const reason = error === undefined || error === message ? '' : `: ${String(error)}`;
      const where = [broker, topic, partition].filter((part) => part !== undefined).join(' ');
      tellOnce('info', `Kafka: ${message}${reason}${where === '' ? '' : ` (${where})`}`);
    };
}
