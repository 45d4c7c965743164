/** What the service says of itself: all of it goes to the log, and what an operator should act on to the page as well. */
import type { Log } from './log.js';
import { Notes } from './notes.js';

export class Voice {
  readonly notes = new Notes();
  readonly #log: Log;
  readonly #now: () => number;

  /** `now` gives milliseconds since the epoch. */
  constructor(log: Log, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  readonly say = (level: 'info' | 'warn' | 'error', text: string): void => {
    this.#log.say(level, text);
    if (level !== 'info') this.notes.add(this.#now(), text);
  };

  /** Like say, for an operator who asked: never left out of the log. */
  readonly answer = (level: 'info' | 'error', text: string): void => {
    this.#log.answer(level, text);
    if (level !== 'info') this.notes.add(this.#now(), text);
  };

  readonly warn = (text: string): void => this.say('warn', text);
}
