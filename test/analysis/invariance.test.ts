/** The same records give the same result, however they are ordered, cut, repeated, packed and named. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  callError,
  failsToLearn,
  inputsOf,
  learns,
  MIN,
  MS,
  proxied,
  SEC,
  server,
  T0,
  type TestInput,
  UNKNOWN_TYPE,
} from '../correlate/kit.js';
import { essence, inputsOfRun, isAudit, isProcessLog, linesOf, RUNS, resultOf, type TextInput } from './samples.js';

type Variant = (inputs: readonly TextInput[]) => TestInput[];

const isLog = (input: TestInput) => isAudit(input) || isProcessLog(input);

function cut(input: TextInput, pieces: (lines: string[]) => string[][]): TextInput[] {
  return pieces(linesOf(input.content)).map((lines, at) => ({
    ...input,
    name: input.name.replace('.log', `.part${at}.log`),
    content: lines.join(''),
  }));
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  'in another order': (inputs) => [...inputs].reverse(),
  'in one-line turns': (inputs) =>
    inputs.flatMap((input) =>
      isAudit(input) ? cut(input, (lines) => [0, 1, 2].map((at) => lines.filter((_, n) => n % 3 === at))) : [input],
    ),
  'split in three': (inputs) =>
    inputs.flatMap((input) =>
      isLog(input)
        ? cut(input, (lines) => {
            const third = Math.ceil(lines.length / 3);
            return [0, 1, 2].map((at) => lines.slice(at * third, (at + 1) * third));
          })
        : [input],
    ),
  'every file twice': (inputs) => [...inputs, ...inputs.map((input) => ({ ...input, name: `again/${input.name}` }))],
  gzipped: (inputs) => inputs.map(({ name, content }) => ({ name: `${name}.gz`, content: gzipSync(content) })),
  'with audit logs that say nothing by their names': (inputs) =>
    inputs.map((input, at) => (isAudit(input) ? { ...input, name: `x${String.fromCharCode(122 - at)}.log` } : input)),
};

describe.each(RUNS)('%s', (run) => {
  const inputs = inputsOfRun(run);
  const base = resultOf(inputs).then(essence);

  test.each(Object.entries(VARIANTS))('%s', async (_, variant) => {
    expect(essence(await resultOf(variant(inputs)))).toEqual(await base);
  });

  test('in small chunks', async () => {
    expect(essence(await resultOf(inputs, 3001))).toEqual(await base);
  });
});

/** A small control plane in which things go right and wrong at random. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('proxied' as const), code: fc.constantFrom(200, 201, 404, 409) }),
  fc.record({ kind: fc.constant('failed' as const), code: fc.constantFrom(503, 504) }),
  fc.record({ kind: fc.constant('served' as const), code: fc.constantFrom(200, 403, 500) }),
  fc.record({ kind: fc.constant('unknown' as const), code: fc.constant(404) }),
  fc.record({ kind: fc.constant('untrusted' as const), code: fc.constant(0) }),
  fc.record({ kind: fc.constant('reused' as const), code: fc.constant(200) }),
  fc.record({ kind: fc.constant('restart' as const), code: fc.constant(0) }),
);
const story = fc.array(
  fc.record({ step, at: fc.integer({ min: 20_000, max: 280_000 }), who: fc.nat({ max: 2 }), whom: fc.nat({ max: 1 }) }),
  {
    maxLength: 25,
  },
);

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

function play(steps: Story): TextInput[] {
  const servers = ['cp1', 'cp2', 'cp3'].map((name) => server(name).boots(T0, { until: T0 + 5 * MIN }));
  for (const a of servers) for (const b of servers) if (a !== b) learns(a, b, T0 + 15 * SEC);
  for (const { step: what, at, who, whom } of [...steps].sort((a, b) => a.at - b.at)) {
    const source = servers[who];
    const destination = servers[(who + 1 + whom) % 3];
    if (source === undefined || destination === undefined) continue;
    const time = T0 + at * MS;
    if (what.kind === 'proxied') proxied(source, destination, time, { code: what.code, there: { code: what.code } });
    else if (what.kind === 'served') source.request(time, { code: what.code });
    else if (what.kind === 'unknown') source.request(time, { status: UNKNOWN_TYPE });
    else if (what.kind === 'reused') source.request(time, { auditID: 'the-same-again' });
    else if (what.kind === 'untrusted')
      failsToLearn(source, destination, time, 'x509: certificate signed by unknown authority');
    else if (what.kind === 'restart') source.dies(time).boots(time + SEC, { until: T0 + 5 * MIN, version: 'v1.37.2' });
    else {
      source.request(time, { code: what.code });
      callError(source, time + MS, 'dial tcp 10.0.0.12:6443: connect: connection refused');
    }
  }
  return inputsOf(servers).map(({ name, content }) => ({ name, content: String(content) }));
}

/** A restart behind records that need not carry the boot ID. */
const RESTART: Story = [
  { step: { kind: 'untrusted', code: 0 }, at: 69_900, who: 0, whom: 0 },
  { step: { kind: 'served', code: 200 }, at: 69_950, who: 0, whom: 0 },
  { step: { kind: 'restart', code: 0 }, at: 70_000, who: 0, whom: 0 },
];

test.each(['cp1-audit.log', 'cp1-kube-apiserver.log'])('a restart is one wherever %s is split', async (name) => {
  const inputs = play(RESTART);
  const others = inputs.filter((input) => input.name !== name);
  const own = inputs.find((input) => input.name === name) as TextInput;
  const whole = essence(await resultOf(inputs));
  for (let at = 0; at <= linesOf(own.content).length; at++) {
    const parts = cut(own, (lines) => [lines.slice(0, at), lines.slice(at)]);
    expect([at, essence(await resultOf([...others, ...parts]))]).toEqual([at, whole]);
  }
});

describe('any story', () => {
  test('is the same story, however it is told', async () => {
    await fc.assert(
      fc.asyncProperty(
        story,
        fc.constantFrom(...Object.values(VARIANTS)),
        fc.integer({ min: 400, max: 9000 }),
        async (steps, variant, chunk) => {
          const inputs = play(steps);
          expect(essence(await resultOf(variant(inputs), chunk))).toEqual(essence(await resultOf(inputs)));
        },
      ),
      { numRuns: 15 },
    );
  });

  test('is the same when its files are split at any line', async () => {
    await fc.assert(
      fc.asyncProperty(story, fc.array(fc.nat({ max: 400 }), { maxLength: 4 }), async (steps, places) => {
        const inputs = play(steps);
        const split = inputs.flatMap((input) =>
          cut(input, (lines) => {
            const at = [0, ...places.map((place) => place % (lines.length + 1)), lines.length].sort((a, b) => a - b);
            return at.slice(1).map((end, n) => lines.slice(at[n], end));
          }),
        );
        expect(essence(await resultOf(split))).toEqual(essence(await resultOf(inputs)));
      }),
      { numRuns: 12 },
    );
  });
});
