/** Counts what became of messages between two reports. */
import type { DeliveryReport, Undelivered } from '../output.js';

/** Different reasons that are told apart in one report. */
const MAX_REASONS = 20;

export class Tally {
  #delivered = 0;
  #known = 0;
  #refused: Undelivered[] = [];
  #answer: string | undefined;

  delivered(count: number, answer: string): void {
    this.#delivered += count;
    this.#answer = answer;
  }

  known(count: number): void {
    this.#known += count;
  }

  refused(reason: string, where: string | null, count = 1): void {
    const at = this.#refused.findIndex((entry) => entry.reason === reason && entry.where === where);
    const last = this.#refused.length === MAX_REASONS ? MAX_REASONS - 1 : -1;
    const same = this.#refused[at < 0 ? last : at];
    if (same === undefined) this.#refused.push({ count, reason, where });
    else this.#refused[at < 0 ? last : at] = { ...same, count: same.count + count };
  }

  /** The report, and a new count. */
  report(waiting: readonly Undelivered[]): DeliveryReport {
    const report: DeliveryReport = {
      delivered: this.#delivered,
      known: this.#known,
      waiting: waiting.filter(({ count }) => count > 0),
      refused: this.#refused,
      ...(this.#answer === undefined ? {} : { answer: this.#answer }),
    };
    this.#delivered = 0;
    this.#known = 0;
    this.#refused = [];
    return report;
  }
}
