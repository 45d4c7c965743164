import { createReadStream, existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { decompress } from '../../src/formats/decompress.js';
import { RecordDecoder } from '../../src/formats/record-decoder.js';

const shared = fileURLToPath(new URL('../../../shared/', import.meta.url));
const captures = path.join(shared, 'captures');
const corpus = path.join(shared, 'corpus');
const whenCaptured = existsSync(captures) ? describe : describe.skip;
const whenCorpus = existsSync(corpus) ? describe : describe.skip;

/** Number of records of each type, and of problems of each reason, in the files of all runs that match. */
async function read(folder: string, pattern: RegExp) {
  const types: Record<string, number> = {};
  const problems: Record<string, number> = {};
  let lines = 0;
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    if (!pattern.test(name)) continue;
    const decoder = new RecordDecoder({ id: 0, name, kind: 'file', yearHintUs: Date.UTC(2026, 11, 2) * 1000 });
    const take = (records: ReturnType<RecordDecoder['feed']>) => {
      for (const { type } of records) types[type] = (types[type] ?? 0) + 1;
    };
    const onProblem = (reason: string) => {
      problems[reason] = (problems[reason] ?? 0) + 1;
    };
    for await (const chunk of decompress(createReadStream(path.join(folder, name)), onProblem))
      take(decoder.feed(chunk));
    take(decoder.finish());
    for (const [reason, count] of decoder.counters.problems) problems[reason] = (problems[reason] ?? 0) + count;
    lines += decoder.counters.lines;
  }
  return { types, problems, lines };
}

whenCaptured('recorded runs', () => {
  it('makes every line of an audit log one event', async () => {
    const { types, problems, lines } = await read(captures, /-audit\.log(\.gz)?$/);
    expect(problems).toEqual({});
    expect(types).toEqual({ audit: lines });
    expect(lines).toBeGreaterThan(10_000);
  });

  it('reads every process log, text and JSON', async () => {
    const { types, problems } = await read(captures, /(kube-apiserver|kube-controller-manager)\.log(\.gz)?$/);
    expect(problems).toEqual({});
    expect(Object.keys(types).sort()).toEqual(['flag', 'log']);
    expect(types.log).toBeGreaterThan(10_000);
  });

  it('reads leases, discovery, metrics and webhook bodies', async () => {
    const leases = await read(captures, /-leases\.json(\.gz)?$/);
    const discovery = await read(captures, /-discovery-.*\.json(\.gz)?$/);
    const metrics = await read(captures, /-metrics\.prom(\.gz)?$/);
    const bodies = await read(captures, /webhook-bodies\.ndjson(\.gz)?$/);
    expect([leases, discovery, metrics, bodies].map(({ problems }) => problems)).toEqual([{}, {}, {}, {}]);
    expect([leases, discovery, metrics, bodies].map(({ types }) => Object.keys(types))).toEqual([
      ['lease'],
      ['discovery'],
      ['metric'],
      ['audit'],
    ]);
    expect(bodies.types.audit).toBeGreaterThan(bodies.lines);
  });
});

whenCorpus('public samples', () => {
  it.each([
    [
      'derived/wrapped',
      /^(json_array_pretty|pretty_stream|kafka_array_value|kafka_eventlist_value)\.json$/,
      { audit: 24 },
      {},
    ],
    ['derived/wrapped', /^(bom_crlf|two_events_one_line|big_event_220KB)\.log$/, { audit: 11 }, {}],
    ['derived/wrapped', /^nul_prefix_copytruncate\.log$/, { audit: 6 }, { 'nul-bytes': 1 }],
    ['derived/wrapped', /^torn_interleaved\.log$/, { audit: 3 }, { 'not-json': 1 }],
    ['derived/wrapped', /^kubectl_logs_mixed\.log$/, { audit: 4, log: 3 }, {}],
    ['derived/wrapped', /^klog_json\.log$/, { log: 3 }, {}],
    ['openshift', /^clo_vrl_audit_in_100\.log$/, { audit: 100 }, {}],
    ['negative', /^kube-audit-rest\.log$/, {}, { 'not-audit': 59 }],
  ])('%s %s', async (folder, pattern, types, problems) => {
    const found = await read(path.join(corpus, folder), pattern);
    expect(found.types).toEqual(types);
    expect(found.problems).toEqual(problems);
  });

  it.each(['concatenated_gzip', 'truncated_gzip'])('%s.log.gz', async (name) => {
    const found = await read(path.join(corpus, 'derived/wrapped'), new RegExp(`^${name}\\.log\\.gz$`));
    expect(found.types.audit).toBeGreaterThan(0);
    expect(Object.keys(found.problems)).toEqual(name === 'truncated_gzip' ? ['truncated-gzip', 'cut-line'] : []);
  });
});
