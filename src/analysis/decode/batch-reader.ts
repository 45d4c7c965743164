/** Turns messages of the decoding thread back into records. */

import type { Reread } from '../../correlate/requests/recent-events.js';
import { TextLogLine } from '../../formats/klog/index.js';
import type { Rec } from '../../model/record.js';
import { BatchEvent } from './batch-event.js';
import { EventColumns } from './event-columns.js';
import type { Client, Target } from './facets.js';
import type { Memory } from './memories.js';
import type { Batch, SentRecord, Step } from './messages.js';

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

/** The records of one step of a batch whose content is in `memory`. */
export function recordsOf(step: Step, { batch, tables }: Arrived, memory: Memory, reread: Reread): Rec[] {
  const buffers = step.stretches.map(({ apart, from, length }) =>
    Buffer.from(batch.apart[apart] ?? memory.bytes, from, length),
  );
  const columns = new EventColumns(step.events, step.columns);
  const { stretch, client, target } = columns;
  const { clients, targets } = tables;
  const { others, places } = step;
  const records: Rec[] = [];
  let other = 0;
  for (let at = 0; at < step.events; at += 1) {
    while (other < others.length && (places[other] as number) <= at) records.push(received(others[other++]));
    records.push(
      new BatchEvent(
        columns,
        step.names,
        at,
        buffers[stretch[at] as number] as Buffer,
        clients[client[at] as number],
        targets[target[at] as number],
        reread,
        memory,
      ),
    );
  }
  while (other < others.length) records.push(received(others[other++]));
  return records;
}

function received(record: SentRecord | undefined): Rec {
  return record?.type === 'unread' ? TextLogLine.of(record) : (record as Rec);
}
