import { describe, expect, test } from '@jest/globals';
import { InputParts } from '../../src/analysis/input-parts.js';
import type { InputRef } from '../../src/model/origin.js';

const input: InputRef = { id: 3, name: 'all.log', kind: 'file' };
const SENDERS = [
  { writer: '', cluster: '' },
  { writer: 'cp-1', cluster: '' },
  { writer: 'cp-2', cluster: 'prod' },
  { writer: '', cluster: 'prod' },
];

describe('InputParts', () => {
  test('are inputs of the same name, between theirs and the next, and the same ones each time', () => {
    const parts = new InputParts(input);
    expect(parts.of(undefined, SENDERS)).toBeUndefined();
    const [first, nobody] = parts.of([1, 0], SENDERS.slice(0, 2)) ?? [];
    expect(nobody).toBe(input);
    expect(first).toEqual({ ...input, id: expect.any(Number), of: input, writer: 'cp-1' });
    const all = parts.of([1, 2, 3, 2], SENDERS) ?? [];
    expect(all[0]).toBe(first);
    expect(all[1]).toBe(all[3]);
    expect(all[1]).toMatchObject({ writer: 'cp-2', cluster: 'prod', of: input });
    expect(all[2]).toEqual({ ...input, id: expect.any(Number), of: input, cluster: 'prod' });
    const ids = all.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id > 3 && id < 4).toBe(true);
  });

  test('have the cluster that the user names', () => {
    expect(new InputParts({ ...input, cluster: 'mine' }).of([2], SENDERS)).toMatchObject([{ cluster: 'mine' }]);
  });

  test('are none where the user names the server', () => {
    expect(new InputParts({ ...input, server: 'mine' }).of([1], SENDERS)).toBeUndefined();
  });
});
