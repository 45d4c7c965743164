/** What the receiver has done so far. */
import type { Budget } from './budget.js';
import type { WebhookCounters } from './options.js';

export class Tally implements WebhookCounters {
  requests = 0;
  batches = 0;
  events = 0;
  bytes = 0;
  deadLetters = 0;
  aborted = 0;
  tlsFailures = 0;
  overdue = 0;
  readonly answers: Record<number, number> = {};

  constructor(private readonly budget: Budget) {}

  get heldBytes(): number {
    return this.budget.held;
  }

  get peakBytes(): number {
    return this.budget.peak;
  }

  answered(status: number): void {
    this.answers[status] = (this.answers[status] ?? 0) + 1;
  }

  stored(bytes: number, events: number): void {
    this.batches++;
    this.events += events;
    this.bytes += bytes;
  }
}
