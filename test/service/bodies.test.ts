/** Bodies of audit webhooks in one partition, and nothing that names who posted them: each is one server's. */
import { describe, expect, it } from '@jest/globals';
import { compare } from '../../src/conformance/compare.js';
import { toResult } from '../../src/report/index.js';
import { expectedOf } from '../analysis/samples.js';
import { linesOf } from './audit-lines.js';
import { readAll } from './engine-kit.js';
import { MemoryKafka } from './memory-kafka.js';

const SIZE = 150;

/** As apiservers post them: each gathers its events, and posts when it has enough. */
function bodiesOf(run: string): Buffer[] {
  const bodies: Buffer[] = [];
  const waiting = new Map<number, string[]>();
  const post = (server: number) => {
    const items = waiting.get(server) ?? [];
    waiting.set(server, []);
    if (items.length > 0)
      bodies.push(
        Buffer.from(`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items.join(',')}]}`),
      );
  };
  for (const { text, server } of linesOf(run)) {
    const items = [...(waiting.get(server) ?? []), text];
    waiting.set(server, items);
    if (items.length >= SIZE) post(server);
  }
  for (const server of waiting.keys()) post(server);
  return bodies;
}

describe('bodies that nothing names', () => {
  it.each(['wrong-peer-ca', 'healthy'])('are told apart by the boots in them: %s', async (run) => {
    const kafka = new MemoryKafka();
    kafka.create('audit', 1);
    for (const value of bodiesOf(run)) kafka.produce('audit', 0, { value });
    const { analysis } = await readAll(kafka);
    const { differences } = compare(expectedOf(run), toResult(analysis), 'audit');
    expect(differences.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([]);
  });
});
