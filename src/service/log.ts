/** The service's log: one JSON object a line by pino; the same message comes at most once in a while, with what was left out counted. */
import type { Writable } from 'node:stream';
import { pino } from 'pino';

export type Level = 'debug' | 'info' | 'warn' | 'error';

export interface Log {
  /** `text` holds no secrets; what differs between messages of one kind, as numbers, does not make them different. */
  say(level: Level, text: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What somebody asked for, and waits for: each of these is written. */
  answer(level: Level, text: string): void;
}

export interface LogOptions {
  readonly level: 'trace' | Level;
  readonly stream: Writable;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const EVERY_MS = 10_000;
/** Kinds of messages that are told apart. */
const MAX_KINDS = 500;
const MAX_TEXT = 2_000;

export function createLog({ level, stream, now }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: { name: 'skewscope' },
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream,
  );
  const kinds = new Map<string, { untilMs: number; left: number }>();
  return {
    say(told, text, fields = {}) {
      const nowMs = now();
      const kind = `${told} ${text.replace(/\d+/g, '0').slice(0, 200)}`;
      const known = kinds.get(kind);
      if (known !== undefined && nowMs < known.untilMs) {
        known.left += 1;
        return;
      }
      const left = known === undefined || known.left === 0 ? {} : { leftOut: known.left };
      kinds.delete(kind);
      if (kinds.size >= MAX_KINDS) kinds.delete(kinds.keys().next().value as string);
      kinds.set(kind, { untilMs: nowMs + EVERY_MS, left: 0 });
      logger[told]({ ...fields, ...left }, text.slice(0, MAX_TEXT));
    },
    answer(told, text) {
      logger[told]({}, text.slice(0, MAX_TEXT));
    },
  };
}
