/** Small numbers for group/version/resource, so that the hot path compares and keys by number. */
import { formatResource } from '../model/resource.js';

/** More distinct resources than this share one entry; no real control plane comes near. */
const LIMIT = 20_000;

interface Entry {
  readonly group: string;
  readonly version: string;
  readonly id: number;
}

export class ResourceTable {
  #byResource = new Map<string, Entry[]>();
  #names: string[] = ['', 'other/other'];

  /** 0 for requests without a resource. */
  id(resource: string, group: string, version: string): number {
    if (resource === '') return 0;
    let entries = this.#byResource.get(resource);
    if (entries !== undefined) {
      for (const entry of entries) if (entry.version === version && entry.group === group) return entry.id;
    }
    if (this.#names.length >= LIMIT) return 1;
    if (entries === undefined) {
      entries = [];
      this.#byResource.set(resource, entries);
    }
    const id = this.#names.length;
    this.#names.push(formatResource(resource, group, version));
    entries.push({ group, version, id });
    return id;
  }

  /** `jobs.batch/v1`, `pods/v1`, '' for 0. */
  name(id: number): string {
    return this.#names[id] ?? '';
  }
}
