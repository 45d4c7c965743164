/** Outputs in memory for tests of the service: what was told, in the order in which it was. */
import type { Finding } from '../../src/model/finding.js';
import type { OutputBatch } from '../../src/outputs/index.js';
import type { ServiceOutputs } from '../../src/service/outputs.js';

export class ToldOutputs implements ServiceOutputs {
  readonly batches: OutputBatch[] = [];
  /** While true nothing that was pushed counts as arrived. */
  stuck = false;
  #waiters: (() => void)[] = [];

  push(batch: OutputBatch): void {
    this.batches.push(batch);
  }

  async room(): Promise<void> {}

  async settled(signal: AbortSignal): Promise<boolean> {
    while (this.stuck && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    return !signal.aborted;
  }

  release(): void {
    this.stuck = false;
    for (const wake of this.#waiters.splice(0)) wake();
  }

  status() {
    return [];
  }

  /**
   * Fingerprints of what receivers hold as open: whoever began anew does not tell the end of what was told before, but
   * that its findings are all.
   */
  get open(): string[] {
    const open = new Map<string, Finding>();
    for (const { changes, findings, complete = false } of this.batches) {
      for (const { kind, finding } of changes) {
        if (kind === 'resolved') open.delete(finding.fingerprint);
        else open.set(finding.fingerprint, finding);
      }
      const now = new Set(findings.map(({ fingerprint }) => fingerprint));
      for (const [print, { cluster }] of open) {
        const isWhole = typeof complete === 'function' ? complete(cluster) : complete;
        if (isWhole && !now.has(print)) open.delete(print);
      }
    }
    return [...open.keys()].sort();
  }

  /** Audit-IDs of all requests that were told, in order. */
  get requests(): string[] {
    return this.batches.flatMap(({ requests }) =>
      requests.map(({ auditID, source }) => `${auditID} ${source.receivedUs}`),
    );
  }
}
