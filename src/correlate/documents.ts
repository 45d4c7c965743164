/** What discovery documents say that a server serves (`nopeer`) and advertises (`merged`), by writer. */
import type { DiscoveryDocument } from '../model/record.js';
import type { Writer } from './writer.js';

export interface ServerDocuments {
  readonly nopeer: Set<string>;
  readonly merged: Set<string>;
  line: number;
  offset: number;
}

export class DocumentBook {
  readonly #byWriter = new Map<Writer, ServerDocuments>();

  take(document: DiscoveryDocument, writer: Writer): void {
    if (document.view === 'unknown') return;
    let documents = this.#byWriter.get(writer);
    if (documents === undefined) {
      documents = { nopeer: new Set(), merged: new Set(), line: document.line, offset: document.offset };
      this.#byWriter.set(writer, documents);
    }
    const set = document.view === 'merged' ? documents.merged : documents.nopeer;
    for (const resource of document.resources) set.add(resource);
  }

  entries(): Iterable<[Writer, ServerDocuments]> {
    return this.#byWriter.entries();
  }
}
