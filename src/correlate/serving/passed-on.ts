/** When each life passed requests for a resource on to a peer, as its process log says, whatever came of them. */
import type { LogLine } from '../../model/record.js';
import { resourceOfPath } from '../../model/resource.js';
import { TimeHistogram } from '../time-histogram.js';
import type { Life } from '../writer.js';

const CALL = /^Proxying request for (\S+) from \S* to (\S+)$/;
/** Resources times lives that are kept; there are no more that servers differ in. */
const LIMIT = 20_000;
/** Addresses of all peers of all lives. */
const ADDRESSES = 5_000;

export class PassedOn {
  readonly #byKey = new Map<string, TimeHistogram>();
  /** Lines that found no place: then silence proves nothing. */
  overflow = 0;

  readonly #dialled = new Map<string, { readonly life: Life; readonly address: string }>();

  take(line: LogLine, life: Life): void {
    const call = CALL.exec(line.message);
    if (call === null) return;
    this.#dial(life, call[2] ?? '');
    const resource = resourceOfPath(call[1] ?? '');
    if (resource === '') return;
    const key = `${life.id} ${resource}`;
    let times = this.#byKey.get(key);
    if (times === undefined) {
      if (this.#byKey.size >= LIMIT) {
        this.overflow += 1;
        return;
      }
      times = new TimeHistogram();
      this.#byKey.set(key, times);
    }
    times.add(line.timeUs);
  }

  /** Times of the call lines, microseconds; undefined when there are none. */
  of(life: Life, resource: string): TimeHistogram | undefined {
    return this.#byKey.get(`${life.id} ${resource}`);
  }

  /** Every `host:port` that a life dialled, be it for a client or to learn what the peer serves. */
  dialled(): Iterable<{ readonly life: Life; readonly address: string }> {
    return this.#dialled.values();
  }

  #dial(life: Life, address: string): void {
    const key = `${life.id} ${address}`;
    if (!this.#dialled.has(key) && this.#dialled.size < ADDRESSES) this.#dialled.set(key, { life, address });
  }
}
