import { describe, expect, test } from '@jest/globals';
import { LeaseBook } from '../../../src/correlate/identity/lease-book.js';
import { Writers } from '../../../src/correlate/writer.js';
import { detachEvent, type Lease } from '../../../src/model/record.js';
import { decode, events, leaseObject, MIN, refOf, server, T0 } from '../kit.js';

function listed(items: unknown[]): Lease[] {
  const text = JSON.stringify({ kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', metadata: {}, items });
  return decode(text, refOf('leases.json')).filter((record) => record.type === 'lease');
}

function lifeNamed(name: string) {
  return new Writers().of(refOf(name)).current;
}

describe('LeaseBook', () => {
  const cp1 = server('cp1').boots(T0);

  test('reads host name and peer address from the body of an own renewal', () => {
    const book = new LeaseBook();
    const life = lifeNamed('cp1-audit.log');
    for (const event of events(cp1.audit)) if (event.verb === 'update') book.fromAudit(event, life);
    expect(book.identities()).toEqual([cp1.identity]);
    const [fact] = book.of(cp1.identity);
    expect(fact).toMatchObject({ hostname: 'cp1', peerAddress: '10.0.0.11:6443' });
    expect(fact?.evidence.list()).toHaveLength(1);
  });

  test('a renewal without a body tells nothing', () => {
    const book = new LeaseBook();
    const life = lifeNamed('cp1-audit.log');
    for (const event of events(cp1.audit)) book.fromAudit(detachEvent(event), life);
    expect(book.empty).toBe(true);
  });

  test('takes leases from lists; an absent annotation is an empty address', () => {
    const book = new LeaseBook();
    const items = [
      leaseObject(cp1.identity, 'cp1', '10.0.0.11:6443', T0 + MIN, T0),
      leaseObject(server('cp2').identity, 'cp2', '', T0 + 2 * MIN, T0),
    ];
    for (const lease of listed(items)) book.fromList(lease, refOf('leases.json'));
    expect(book.identities()).toHaveLength(2);
    expect(book.of(server('cp2').identity)).toMatchObject([{ hostname: 'cp2', peerAddress: '' }]);
    expect(book.listedAt).toBe(T0 + 2 * MIN);
  });

  test('keeps every address an identity ever told, the newest last, in whatever order they came', () => {
    const items = ['10.0.0.1:6443', '10.0.0.2:6443', '10.0.0.3:6443'].map((address, at) =>
      leaseObject(cp1.identity, 'cp1', address, T0 + at * MIN, T0),
    );
    for (const order of [
      [0, 1, 2],
      [2, 0, 1],
    ]) {
      const book = new LeaseBook();
      const leases = listed(items);
      for (const at of order) book.fromList(leases[at] as Lease, refOf('leases.json'));
      expect(book.of(cp1.identity).map((fact) => fact.peerAddress)).toEqual([
        '10.0.0.1:6443',
        '10.0.0.2:6443',
        '10.0.0.3:6443',
      ]);
    }
  });

  test('is bounded', () => {
    const book = new LeaseBook();
    for (const lease of listed(
      Array.from({ length: 3000 }, (_, at) => leaseObject(cp1.identity, 'cp1', `10.0.0.1:${at + 1}`, T0 + at, T0)),
    ))
      book.fromList(lease, refOf('leases.json'));
    expect(book.of(cp1.identity).length).toBe(2000);
  });
});
