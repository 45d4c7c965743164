/** Rows of repeated fields: the same number for the same values, and no end of memory. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ClientTable, MAX_ROWS, TargetTable } from '../../../src/analysis/decode/facets.js';
import { createFastDecoder } from '../../../src/formats/index.js';
import { type AuditEvent, detachEvent } from '../../../src/model/record.js';
import { auditLine } from '../../formats/sample-records.js';

const EVENT = eventOf();
const TEXT = fc.oneof(fc.constantFrom('', 'a', 'ab', '1 a', 'a1'), fc.string({ maxLength: 5 }));

describe('ClientTable', () => {
  test('has one number for each combination of values', () => {
    const client = fc.record({
      username: TEXT,
      userUID: TEXT,
      groups: TEXT,
      impersonated: TEXT,
      sourceIPs: TEXT,
      userAgent: TEXT,
    });
    fc.assert(
      fc.property(fc.array(client, { maxLength: 60 }), (clients) => {
        const table = new ClientTable();
        const ids = clients.map((fields) => table.id({ ...EVENT, ...fields }));
        const rows = table.book.takeFresh();
        expect(ids.map((id) => rows[id])).toEqual(clients);
        expect(rows).toHaveLength(new Set(clients.map((fields) => JSON.stringify(fields))).size);
        expect(table.book.takeFresh()).toEqual([]);
      }),
    );
  });

  test('leaves out what is long, and is full at last', () => {
    const table = new ClientTable();
    expect(table.id({ ...EVENT, userAgent: 'x'.repeat(3000) })).toBe(-1);
    for (let at = 0; at < MAX_ROWS; at += 1) {
      expect(table.book.isFull).toBe(false);
      table.id({ ...EVENT, userAgent: String(at) });
    }
    expect(table.book.isFull).toBe(true);
  });
});

describe('TargetTable', () => {
  test('has one number for each combination of values', () => {
    const target = fc.record({
      verb: TEXT,
      resource: TEXT,
      namespace: TEXT,
      apiGroup: TEXT,
      apiVersion: TEXT,
      subresource: TEXT,
    });
    fc.assert(
      fc.property(fc.array(target, { maxLength: 60 }), (targets) => {
        const table = new TargetTable();
        const ids = targets.map((fields) => table.id({ ...EVENT, ...fields }));
        const rows = table.book.takeFresh();
        expect(ids.map((id) => rows[id])).toEqual(targets);
      }),
    );
  });
});

function eventOf(): AuditEvent {
  const bytes = Buffer.from(auditLine('a'));
  const event = createFastDecoder().decode(bytes, 0, bytes.length, 1, 0);
  if (typeof event === 'string') throw new Error(event);
  return detachEvent(event);
}
