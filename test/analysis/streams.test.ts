/** Inputs as people really give them: one stream of several files, a merged stream, the log of one server alone, rubbish. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cluster, inputsOf, MIN, proxied, SEC, T0, textOf } from '../correlate/kit.js';
import {
  auditLogs,
  essence,
  falseFindings,
  inputsOfRun,
  isAudit,
  isProcessLog,
  linesOf,
  RUNS,
  resultOf,
  type TextInput,
} from './samples.js';

function concatenated(inputs: readonly TextInput[]): TextInput[] {
  return [{ name: '-', content: inputs.map(({ content }) => content).join('') }];
}

function interleaved(inputs: readonly TextInput[]): TextInput[] {
  const lines = inputs.flatMap(({ content }) => linesOf(content));
  const dated = lines.map((line, at) => ({ line, at, time: /"stageTimestamp":"([^"]+)"/.exec(line)?.[1] ?? '' }));
  dated.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : a.at - b.at));
  return [{ name: '-', content: dated.map(({ line }) => line).join('') }];
}

describe.each(RUNS)('cat of the logs of %s', (run) => {
  const inputs = inputsOfRun(run);

  test('audit logs: the same servers, pairs and findings', async () => {
    const logs = inputs.filter(isAudit);
    const [apart, together] = [await resultOf(logs), await resultOf(concatenated(logs))];
    expect(essence(together)).toEqual(essence(apart));
  });

  test('with process logs: no other findings, all pairs', async () => {
    const logs = inputs.filter((input) => isAudit(input) || isProcessLog(input));
    const [apart, together] = [await resultOf(logs), await resultOf(concatenated(logs))];
    const told = (result: typeof apart) => result.findings.map(({ rule, server, edges }) => ({ rule, server, edges }));
    expect(told(together)).toEqual(told(apart));
    expect(together.proxied).toEqual(apart.proxied);
  });
});

describe.each(RUNS)('the audit logs of %s merged by time into one stream', (run) => {
  const result = resultOf(interleaved(inputsOfRun(run).filter(isAudit)));

  test('accuse nobody', async () => {
    expect(falseFindings(run, await result)).toEqual([]);
  });

  test('say that the servers cannot be told apart', async () => {
    const { inputs, servers, findings } = await result;
    expect(inputs.map(({ server }) => server)).toEqual([null]);
    expect(servers.length).toBeGreaterThan(1);
    const missing = findings.filter(({ rule }) => rule === 'server-log-missing');
    expect(missing.map(({ server }) => server)).toEqual(servers.map(({ name }) => name));
    for (const { cause } of missing) expect(cause).toContain('several servers write in turns');
  });
});

test('servers that follow one another in one stream without a jump back are still two', async () => {
  const [cp1, cp2] = [cluster(['cp1', 'cp2'], { until: T0 + MIN }), cluster(['cp1', 'cp2'], { at: T0 + 2 * MIN })].map(
    (all, at) => all[at],
  );
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  const { servers } = await resultOf(
    concatenated([cp1, cp2].map(({ name, audit }) => ({ name, content: textOf(audit) }))),
  );
  expect(servers.map(({ name, addresses }) => [name, addresses])).toEqual([
    ['cp1', ['10.0.0.11']],
    ['cp2', ['10.0.0.12']],
  ]);
});

test('streams that jump to and fro, as followed pods do at the start, are turns', async () => {
  const servers = cluster(['cp1', 'cp2']);
  const logs = servers.map(({ audit }) => linesOf(textOf(audit)));
  const pieces: string[] = [];
  for (let at = 0; at < Math.max(...logs.map((lines) => lines.length)); at += 5)
    for (const lines of [...logs].reverse()) pieces.push(...lines.slice(at, at + 5));
  const { findings } = await resultOf([{ name: '-', content: pieces.join('') }]);
  expect(findings.filter(({ severity, confidence }) => severity !== 'info' && confidence !== 'possible')).toEqual([]);
});

describe('the log of one server alone', () => {
  const inputs = inputsOfRun('wrong-peer-ca');

  test('its process log tells whom it cannot call, and why', async () => {
    const result = await resultOf(inputs.filter(({ name }) => name === 'cp1-kube-apiserver.log'));
    const [found, ...others] = result.findings.filter(({ severity }) => severity !== 'info');
    expect(found).toMatchObject({ rule: 'peer-ca-untrusted', server: 'cp1' });
    expect(found?.edges).toHaveLength(2);
    expect(others).toEqual([]);
    expect(result.servers.find(({ name }) => name === 'cp1')?.addresses).toEqual(['10.99.0.11']);
    expect(result.unjudged.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['wrong-not-found', 'audit-policy-blind']),
    );
  });

  test('its audit log accuses nobody and says what could not be judged', async () => {
    const result = await resultOf(inputs.filter(({ name }) => name === 'cp1-audit.log'));
    expect(falseFindings('wrong-peer-ca', result)).toEqual([]);
    expect(result.servers.map(({ name }) => name)).toEqual(['cp1']);
    expect(result.unjudged.map(({ rule }) => rule)).toContain('proxy-identity-rejected');
  });

  test.each(RUNS)(
    'one of %s: no assertion about servers that are not there but by their own lease names',
    async (run) => {
      for (const input of inputsOfRun(run).filter(isAudit)) {
        const result = await resultOf([input]);
        expect(falseFindings(run, result)).toEqual([]);
      }
    },
  );
});

describe('audit policies', () => {
  const policies: Readonly<Record<string, (line: string) => string | undefined>> = {
    'without non-resource requests': (line) => (line.includes('"objectRef"') ? line : undefined),
    'that omit RequestReceived': (line) => (line.includes('"stage":"RequestReceived"') ? undefined : line),
    "without the apiservers' own requests": (line) =>
      line.includes('"username":"system:apiserver","uid"') ? undefined : line,
    'without anything of system:apiserver': (line) =>
      line.includes('"username":"system:apiserver"') ? undefined : line,
    'at level Metadata': metadataOnly,
  };

  describe.each(RUNS)('%s', (run) => {
    const inputs = inputsOfRun(run);
    const whole = resultOf(inputs.filter(isAudit));

    test.each(Object.entries(policies))('%s', async (_, line) => {
      const result = await resultOf(auditLogs(inputs, line));
      expect(falseFindings(run, result)).toEqual([]);
      expect(result.proxied.total).toBe((await whole).proxied.total);
    });
  });
});

function metadataOnly(line: string): string {
  if (!line.startsWith('{') || !line.includes('"requestObject"')) return line;
  const { requestObject: _, responseObject: _response, ...event } = JSON.parse(line);
  return `${JSON.stringify({ ...event, level: 'Metadata' })}\n`;
}

describe('anything at all', () => {
  const [cp1, cp2] = cluster(['cp1', 'cp2'], { until: T0 + MIN });
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  proxied(cp1, cp2, T0 + 30 * SEC);
  const inputs = inputsOf([cp1, cp2]);

  test('random bytes end in a result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 4 }), async (contents) => {
        const result = await resultOf(
          contents.map((bytes, at) => ({ name: `x${at}.log`, content: Buffer.from(bytes) })),
        );
        expect(result.proxied.total).toBe(0);
      }),
      { numRuns: 40 },
    );
  });

  test('damage costs what it touches, and nothing throws', async () => {
    const flip = fc.record({ at: fc.nat(), byte: fc.nat({ max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 40 }), async (flips) => {
        const damaged = inputs.map(({ name, content }) => {
          const bytes = Buffer.from(content);
          for (const { at, byte } of flips) bytes[at % bytes.length] = byte;
          return { name, content: bytes };
        });
        const { proxied: found, inputs: read } = await resultOf(damaged);
        expect(read).toHaveLength(inputs.length);
        // A stage whose time was damaged looks like another request under the same Audit-ID.
        expect(found.total).toBeLessThanOrEqual(2);
      }),
      { numRuns: 25 },
    );
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'a client that asks for %s is an ordinary client',
    async (word) => {
      const hostile = cluster(['cp1', 'cp2'], { until: T0 + MIN });
      for (const source of hostile) {
        source.request(T0 + 40 * SEC, {
          ref: { resource: word, apiVersion: word, namespace: word, name: word },
          code: 404,
        });
        source.request(T0 + 41 * SEC, {
          ref: { resource: word, apiGroup: word, apiVersion: word },
          code: 503,
          userAgent: word,
          username: word,
        });
      }
      const { findings } = await resultOf(inputsOf(hostile));
      expect(findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    },
  );
});
