/** Clients that ask `/apis/<group>/<version>` and get 404: un-aggregated discovery never sees a peer's groups. */
import type { AuditEvent } from '../model/record.js';
import { EvidenceSet } from './evidence.js';
import { clientOf } from './serving/outcomes.js';
import { TimeHistogram } from './time-histogram.js';
import type { Life } from './writer.js';

const GROUP_VERSION = /^\/apis\/([^/?]+\/[^/?]+)(?:\?.*)?$/;
const LIMIT = 5_000;

export class LegacyMiss {
  readonly times = new TimeHistogram();
  readonly evidence = new EvidenceSet(2);

  constructor(
    readonly life: Life,
    readonly client: string,
    readonly groupVersion: string,
  ) {}
}

export class LegacyDiscoveryLog {
  readonly #byKey = new Map<string, LegacyMiss>();

  /** Takes a final 404 of a non-resource request. */
  take(event: AuditEvent, life: Life): void {
    const match = GROUP_VERSION.exec(event.requestURI);
    if (match === null) return;
    const groupVersion = (match[1] ?? '').slice(0, 200);
    const client = clientOf(event);
    const key = `${life.id} ${client} ${groupVersion}`;
    let miss = this.#byKey.get(key);
    if (miss === undefined) {
      if (this.#byKey.size >= LIMIT) return;
      miss = new LegacyMiss(life, client, groupVersion);
      this.#byKey.set(key, miss);
    }
    miss.times.add(event.timeUs);
    miss.evidence.addEvent(event, life.writer.input);
  }

  all(): Iterable<LegacyMiss> {
    return this.#byKey.values();
  }
}
