/** Keeps the tables by which the batches of a decoding thread number their rows. */
import type { Client, Target } from './facets.js';
import type { Batch } from './messages.js';

interface Tables {
  readonly clients: Client[];
  readonly targets: Target[];
}

/** A batch with the tables that its rows are numbered by. */
export interface Arrived {
  readonly batch: Batch;
  readonly tables: Tables;
}

/** One for each decoding thread. */
export class BatchReader {
  #tables: Tables = { clients: [], targets: [] };

  /** To be called for every batch in the order in which they come: it carries new rows for all that follow. */
  arrive(batch: Batch): Arrived {
    if (batch.anew) this.#tables = { clients: [], targets: [] };
    const tables = this.#tables;
    for (const client of batch.clients) tables.clients.push(client);
    for (const target of batch.targets) tables.targets.push(target);
    return { batch, tables };
  }
}
