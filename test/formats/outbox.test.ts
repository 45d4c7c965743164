import { describe, expect, it } from '@jest/globals';
import { Outbox } from '../../src/formats/outbox.js';
import type { Rec } from '../../src/model/record.js';

const record: Rec = { type: 'metric', line: 1, offset: 0, name: 'm', labels: new Map(), value: 1 };
const named = (writer: string, cluster = '') => ({ writer, cluster });

describe('Outbox', () => {
  it('numbers the senders of records as they come, and says nothing where none is named', () => {
    const outbox = new Outbox();
    outbox.emit(record);
    outbox.emit(record, named(''));
    expect(outbox.take()).toEqual({ records: [record, record], senders: undefined });
    outbox.emit(record);
    outbox.emit(record, named('a'));
    outbox.emit(record, named('', 'prod'));
    outbox.emit(record);
    outbox.emit(record, named('a'));
    expect(outbox.take().senders).toEqual([0, 1, 2, 0, 1]);
    expect(outbox.names).toEqual([named(''), named('a'), named('', 'prod')]);
    expect(outbox.take()).toEqual({ records: [], senders: undefined });
  });

  it('tells the senders of a bounded number apart, and counts the records of others', () => {
    const outbox = new Outbox();
    for (let at = 0; at < 300; at++) outbox.emit(record, named(`w${at}`));
    outbox.emit(record, named('w0'));
    expect(outbox.names.length).toBe(257);
    expect(outbox.unnamed).toBe(44);
    expect(outbox.take().senders?.slice(-2)).toEqual([0, 1]);
  });
});
