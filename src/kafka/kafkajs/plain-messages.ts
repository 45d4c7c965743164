/** Messages as kafkajs reads them itself, which it does for formats before Kafka 0.11, as columns like all others. */
import type { Incoming } from '../pack.js';
import type { Labelled } from '../sender.js';

/** A message as kafkajs has it. */
export interface FetchedMessage extends Labelled {
  readonly offset: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: string;
  readonly value: Buffer | null;
}

const NOTHING = Buffer.alloc(0);

export function incomingOf(messages: readonly FetchedMessage[]): Incoming {
  const memory = Buffer.concat(messages.flatMap(({ key, value }) => [key ?? NOTHING, value ?? NOTHING]));
  const { length } = messages;
  const incoming = {
    memory,
    starts: new Int32Array(length),
    ends: new Int32Array(length),
    keyStarts: new Int32Array(length),
    keyEnds: new Int32Array(length),
    offsets: Float64Array.from(messages, ({ offset }) => Number(offset)),
    timestamps: Float64Array.from(messages, ({ timestamp }) => Number(timestamp)),
    headers: (at: number) => messages[at]?.headers ?? {},
  };
  let at = 0;
  messages.forEach(({ key, value }, i) => {
    incoming.keyStarts[i] = at;
    at += key?.length ?? 0;
    incoming.keyEnds[i] = at;
    incoming.starts[i] = at;
    at += value?.length ?? 0;
    incoming.ends[i] = at;
  });
  return incoming;
}
