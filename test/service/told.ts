/** Outputs in memory for tests of the service: what was told, in the order in which it was. */
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

  /** Findings that are open at the end, by fingerprint. */
  get open(): string[] {
    const open = new Set<string>();
    for (const { changes } of this.batches) {
      for (const { kind, finding } of changes) {
        if (kind === 'resolved') open.delete(finding.fingerprint);
        else open.add(finding.fingerprint);
      }
    }
    return [...open].sort();
  }

  /** Audit-IDs of all requests that were told, in order. */
  get requests(): string[] {
    return this.batches.flatMap(({ requests }) =>
      requests.map(({ auditID, source }) => `${auditID} ${source.receivedUs}`),
    );
  }
}
