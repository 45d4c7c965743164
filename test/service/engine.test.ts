import { describe, expect, it } from '@jest/globals';
import { compare } from '../../src/conformance/compare.js';
import type { Sender } from '../../src/kafka/port.js';
import { toResult } from '../../src/report/index.js';
import { expectedOf, RUNS } from '../analysis/samples.js';
import { linesOf } from './audit-lines.js';
import { readAll } from './engine-kit.js';
import { MemoryKafka } from './memory-kafka.js';

/** How producers may spread one control plane's audit logs over partitions. */
const SPREADS = {
  'a partition for each server, and nothing that names it': (server: number, _line: number) => ({ partition: server }),
  'any partition, and a header that names the server': (server: number, line: number) => ({
    partition: (line * 7919) % 3,
    sender: { server: `cp${server + 1}`, cluster: '' },
  }),
} satisfies Record<string, (server: number, line: number) => { partition: number; sender?: Sender }>;

/** The audit logs of a run as messages, one event each, in the order in which shippers would send them. */
function topicOf(run: string, spread: (typeof SPREADS)[keyof typeof SPREADS]): MemoryKafka {
  const kafka = new MemoryKafka();
  kafka.create('audit', 3);
  linesOf(run).forEach(({ text, server }, index) => {
    const { partition, ...rest } = spread(server, index);
    kafka.produce('audit', partition, { value: Buffer.from(text), ...rest });
  });
  return kafka;
}

describe.each(Object.entries(SPREADS))('the engine, given %s', (_, spread) => {
  it.each(RUNS)('finds in %s what there is to find', async (run) => {
    const { analysis, outputs } = await readAll(topicOf(run, spread));
    const { differences } = compare(expectedOf(run), toResult(analysis), 'audit');
    expect(differences.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([]);
    expect(outputs.open).toEqual(analysis.findings.map(({ fingerprint }) => fingerprint).sort());
  });
});
