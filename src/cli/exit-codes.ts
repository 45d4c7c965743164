/** What the process says by its exit code. Findings and failures never share one. */
import type { FailOn } from '../config/index.js';
import type { Analysis } from '../model/analysis.js';
import { SEVERITIES } from '../model/finding.js';
import { whyNothing } from './nothing-judged.js';

export const EXIT = {
  /** Nothing at or above `--fail-on`. */
  clean: 0,
  /** Findings at or above `--fail-on`, or rule tests that failed. */
  findings: 1,
  /** Wrong usage or configuration, or an output that cannot be written. */
  usage: 2,
  /** An input could not be read, none of it was usable, or nothing lies in the time that was asked for. */
  input: 3,
  /** An output did not take everything; the messages say what waits where. */
  undelivered: 4,
  /** A mistake in this program. */
  internal: 70,
  /** Ended by the user (Ctrl-C) or a signal; what there was has been printed. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export interface Outcome {
  readonly analysis: Analysis;
  readonly failOn: FailOn;
  readonly interrupted: boolean;
  /** Something that the user named could not be read. */
  readonly unreadable: boolean;
  /** Something did not reach a receiver. */
  readonly undelivered?: boolean;
}

/** The code of a finished analysis; a failure goes before findings, for findings may be missing because of it. */
export function exitCodeFor({ analysis, failOn, interrupted, unreadable, undelivered }: Outcome): ExitCode {
  if (interrupted) return EXIT.interrupted;
  if (
    unreadable ||
    whyNothing(analysis) !== undefined ||
    analysis.inputs.some(({ problems }) => (problems.unreadable ?? 0) > 0)
  ) {
    return EXIT.input;
  }
  if (undelivered === true) return EXIT.undelivered;
  if (failOn === 'never') return EXIT.clean;
  const threshold = SEVERITIES.indexOf(failOn);
  const failing = analysis.findings.some(({ severity }) => SEVERITIES.indexOf(severity) >= threshold);
  return failing ? EXIT.findings : EXIT.clean;
}
