/** Counts what did not become a record, and tells the first few of each kind in full. */
import type { InputRef } from '../model/origin.js';
import type { Problem, ProblemReason } from '../model/record.js';

/** Problems of one reason that are reported one by one; the rest are only counted. */
export const MAX_REPORTED = 20;

export class ProblemLog {
  readonly counts = new Map<ProblemReason, number>();

  constructor(
    private readonly input: InputRef,
    private readonly onProblem: ((problem: Problem) => void) | undefined,
  ) {}

  add(reason: ProblemReason, line: number, offset: number, detail: string): void {
    const count = (this.counts.get(reason) ?? 0) + 1;
    this.counts.set(reason, count);
    if (count > MAX_REPORTED || this.onProblem === undefined) return;
    this.onProblem({ reason, origin: { input: this.input, line, offset }, detail });
  }

  /** Counts problems whose places were not kept. */
  addUnplaced(reason: ProblemReason, count: number): void {
    if (count > 0) this.counts.set(reason, (this.counts.get(reason) ?? 0) + count);
  }
}
