import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseConfig } from '../../src/config/index.js';
import { systemClock } from '../../src/outputs/index.js';
import { Metrics } from '../../src/outputs/metrics/index.js';
import { Sinks } from '../../src/service/sinks.js';
import { batch, finding, request } from '../outputs/otlp/examples.js';
import { readReceived } from '../services/collector/received.js';
import { makeFolder } from '../sources/folder.js';
import { until } from '../until.js';
import { turn } from './engine-kit.js';

let folder: ReturnType<typeof makeFolder>;
beforeEach(() => {
  folder = makeFolder({});
});
afterEach(() => folder.drop());

const live = () => AbortSignal.timeout(10_000);

function configOf(outputs: string) {
  return parseConfig(`outputs: {${outputs}}`, join(folder.path, 'c.yaml')).outputs;
}

/** A certificate that is not there. */
const BAD = 'webhook: [{url: "https://127.0.0.1:9/", tls: {ca: missing.pem}}]';
const file = (name: string) => `ndjson: [{path: ${name}.ndjson}]`;

async function open(outputs: string) {
  const messages: string[] = [];
  const metrics = new Metrics({ startMs: 0, instance: 'test', resource: {} });
  const options = {
    env: {},
    clock: { ...systemClock, sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 20), signal) },
    metrics,
    onMessage: (text: string) => messages.push(text),
    writeStdout: async () => {},
  };
  return { sinks: await Sinks.open(configOf(outputs), options), messages };
}

const told = (name: string) =>
  readFileSync(join(folder.path, `${name}.ndjson`), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
const opened = (fingerprint: string) =>
  batch({ changes: [{ kind: 'opened', finding: finding({ fingerprint }) }], findings: [finding({ fingerprint })] });

describe('the outputs of the service', () => {
  it('are settled when what was pushed has arrived', async () => {
    const { sinks } = await open(file('a'));
    sinks.push(opened('1111111111111111'));
    expect(await sinks.settled(live())).toBe(true);
    expect(told('a')).toHaveLength(1);
    await sinks.finish(1_000);
  });

  it('stay as they are when the configuration does', async () => {
    const { sinks } = await open(file('a'));
    expect(await sinks.replace(configOf(file('a')), configOf(file('a')))).toBe(false);
    await sinks.finish(1_000);
  });

  it('that are replaced get what came before, and the new ones what comes meanwhile', async () => {
    const { sinks } = await open(file('a'));
    sinks.push(opened('1111111111111111'));
    const replacing = sinks.replace(configOf(file('b')), configOf(file('a')));
    sinks.push(opened('2222222222222222'));
    // Nothing counts as arrived before the new ones have it.
    const settled = sinks.settled(live());
    const aborted = new AbortController();
    const given = sinks.settled(aborted.signal);
    aborted.abort();
    expect(await given).toBe(false);
    expect(await replacing).toBe(true);
    expect(await settled).toBe(true);
    expect([told('a').length, told('b').length]).toEqual([1, 1]);
    expect(told('a').join()).toContain('1111111111111111');
    expect(told('b').join()).toContain('2222222222222222');
    await sinks.finish(1_000);
  });

  it('that cannot be replaced go on, and lose nothing', async () => {
    const { sinks } = await open(file('a'));
    const replacing = sinks.replace(configOf(BAD), configOf(file('a')));
    sinks.push(opened('3333333333333333'));
    await expect(replacing).rejects.toThrow();
    expect(await sinks.settled(live())).toBe(true);
    expect(told('a').join()).toContain('3333333333333333');
    await sinks.finish(1_000);
  });

  it('none of which can be opened any more reject, instead of keeping silent', async () => {
    const { sinks } = await open(file('a'));
    const bad = configOf(BAD);
    await expect(sinks.replace(bad, bad)).rejects.toThrow();
    await expect(sinks.settled(live())).rejects.toThrow(/no outputs any more/);
    await expect(sinks.room(live())).rejects.toThrow(/no outputs any more/);
    await sinks.finish(0);
  });

  it('tell what they could not deliver at the end', async () => {
    const { sinks, messages } = await open('webhook: [{url: "http://127.0.0.1:9/"}]');
    sinks.push(opened('4444444444444444'));
    await turn(100);
    await sinks.finish(50);
    expect(messages.join('\n')).toMatch(
      /webhook 127\.0\.0\.1:9: not delivered: 1 message waiting, kept in memory only: connection refused; .*; nothing keeps it now/,
    );
  });

  it('write spans to a file once, over restarts with a spool, and after every one of them without', async () => {
    for (const [spool, times] of [
      ['spool: {dir: spool}, ', 1],
      ['', 2],
    ] as const) {
      const name = `otlp-${times}`;
      for (const _run of [1, 2]) {
        const { sinks } = await open(`${spool}otlp: {file: ${name}.ndjson}`);
        sinks.push(batch({ requests: [request()] }));
        expect(await sinks.settled(live())).toBe(true);
        // With a spool it is settled once it is there; the file comes next.
        await until(() => sinks.status()[0]?.waiting === 0, 'it is in the file');
        expect(sinks.status()).toMatchObject([{ isFailing: false }]);
        await sinks.finish(1_000);
      }
      expect(readReceived(told(name)).spans).toHaveLength(3 * times);
    }
  });
});
