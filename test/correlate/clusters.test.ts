import { describe, expect, it } from '@jest/globals';
import { analyze } from '../../src/analysis/index.js';
import type { Analysis } from '../../src/model/analysis.js';
import { toResult } from '../../src/report/index.js';
import type { Source } from '../../src/sources/index.js';
import { inputsOfRun, RULES, RUNS } from '../analysis/samples.js';
import { memorySources } from './kit.js';

/** The files of a run, as those of a cluster that has the run's name. */
function sourcesOf(run: string, cluster: string | undefined = run): Source[] {
  const named = cluster === undefined ? {} : { cluster };
  return memorySources(inputsOfRun(run)).map((source) => ({
    ...source,
    input: { ...source.input, ...named },
    open: () => source.open(),
  }));
}

/** All that the result says of one cluster. */
function partOf(analysis: Analysis, cluster: string) {
  const { servers, proxied, discovery, notFound, findings, unjudged, inputs } = toResult(analysis);
  const own = <T extends { cluster?: string | undefined }>(rows: readonly T[]) =>
    rows.filter((row) => row.cluster === cluster);
  return {
    servers: own(servers),
    routes: own(proxied.routes),
    discovery: own(discovery),
    notFound: own(notFound),
    findings: own(findings),
    inputs: own(inputs),
    unjudged: unjudged
      .filter((row) => row.cluster === undefined || row.cluster === cluster)
      .map(({ rule, reason }) => ({ rule, reason })),
  };
}

const PAIRS = RUNS.flatMap((one, at) => RUNS.slice(at + 1).map((other) => [one, other] as const));
const ALONE = new Map<string, Analysis>();
for (const run of RUNS) ALONE.set(run, await analyze(sourcesOf(run), { rules: RULES }));

function alone(run: string): Analysis {
  const analysis = ALONE.get(run);
  if (analysis === undefined) throw new Error(`${run} is no run`);
  return analysis;
}

describe('two clusters at once', () => {
  it.each(PAIRS)('%s and %s: of each is said what is said of it alone', async (one, other) => {
    const both = await analyze([...sourcesOf(one), ...sourcesOf(other)], { rules: RULES });
    for (const run of [one, other]) {
      const part = partOf(both, run);
      expect(part).toEqual(partOf(alone(run), run));
      expect(part.servers.length).toBeGreaterThan(1);
    }
    expect(both.findings).toHaveLength(alone(one).findings.length + alone(other).findings.length);
    expect(both.proxied.total).toBe(alone(one).proxied.total + alone(other).proxied.total);
    expect(both.proxied.failed).toBe(alone(one).proxied.failed + alone(other).proxied.failed);
  });

  it('that wrote the very same are two: no record of the one is a duplicate', async () => {
    const [run] = RUNS as [string];
    const both = await analyze([...sourcesOf(run, 'east'), ...sourcesOf(run, 'west')], { rules: RULES });
    const [east, west] = ['east', 'west'].map((name) =>
      partOf(both, name)
        .findings.map(({ cluster: _, fingerprint: __, ...rest }) => JSON.stringify(rest))
        .sort(),
    );
    expect(east).toEqual(west);
    expect(new Set(both.findings.map(({ fingerprint }) => fingerprint)).size).toBe(both.findings.length);
    expect(both.inputs.every(({ problems }) => problems.duplicate === undefined)).toBe(true);
  });

  it('what names no cluster is of the one that is named', async () => {
    const run = 'namespace-orphans';
    const [first, ...rest] = sourcesOf(run);
    const named = [
      first as Source,
      ...rest.map(({ input: { cluster: _, ...input }, ...source }) => ({ ...source, input })),
    ];
    const analysis = await analyze(named, { rules: RULES });
    expect(analysis.clusters).toEqual([run]);
    expect(analysis.findings).toEqual(alone(run).findings);
  });
});
