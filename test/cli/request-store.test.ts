import { describe, expect, test } from '@jest/globals';
import { RequestStore } from '../../src/cli/request-store.js';
import type { ProxiedRequest } from '../../src/model/proxied-request.js';

const requests = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ auditID: String(at) }) as unknown as ProxiedRequest);

describe('requests for outputs', () => {
  test('are handed over once', () => {
    const store = new RequestStore();
    store.add(requests(2));
    store.add(requests(1));
    expect(store.take().map(({ auditID }) => auditID)).toStrictEqual(['0', '1', '0']);
    expect(store.take()).toStrictEqual([]);
  });

  test('are counted beyond the limit, not kept', () => {
    const store = new RequestStore(3);
    store.add(requests(2));
    store.add(requests(4));
    expect(store.take()).toHaveLength(3);
    expect(store.dropped).toBe(3);
    store.add(requests(1));
    expect(store.take()).toHaveLength(1);
  });
});
