/** In a watch, findings that something is absent wait: at the beginning most things are, and come soon. */
import type { Finding } from '../model/finding.js';
import type { RuleSet } from '../rules/index.js';

/** Observations of what is not there. */
const ABSENCES: ReadonlySet<string> = new Set(['server-log-missing', 'policy-blind']);
const HOLD_MS = 10_000;

export class Settling {
  readonly #since = new Map<string, number>();

  /** The findings that may be told at this time; of absences those that have held for ten seconds. */
  settled(findings: readonly Finding[], { rules }: RuleSet, nowMs: number): Finding[] {
    const absences = new Set(
      rules.filter(({ consumes }) => consumes.every((type) => ABSENCES.has(type))).map(({ id }) => id),
    );
    const waiting = findings.filter(({ rule }) => absences.has(rule));
    const present = new Set(waiting.map(({ fingerprint }) => fingerprint));
    for (const gone of this.#since.keys()) if (!present.has(gone)) this.#since.delete(gone);
    for (const fingerprint of present) if (!this.#since.has(fingerprint)) this.#since.set(fingerprint, nowMs);
    return findings.filter(
      ({ fingerprint }) => nowMs - (this.#since.get(fingerprint) ?? Number.NEGATIVE_INFINITY) >= HOLD_MS,
    );
  }
}
