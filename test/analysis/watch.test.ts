/** Judging while records arrive, with real but small delays. */
import { describe, expect, test } from '@jest/globals';
import { analyze, watch } from '../../src/analysis/index.js';
import type { FindingChange } from '../../src/findings/index.js';
import type { Source } from '../../src/sources/index.js';
import {
  cluster,
  failsToLearn,
  inputsOf,
  learns,
  MIN,
  memorySources,
  SEC,
  server,
  T0,
  textOf,
} from '../correlate/kit.js';
import { until } from '../until.js';
import { RULES } from './samples.js';

/** A live input: gives what it is told to give, until it is closed. */
class LiveSource implements Source {
  readonly bytes = null;
  readonly live = true;
  readonly input;
  readonly #waiting: Buffer[] = [];
  #wake: () => void = () => {};
  #closed = false;

  constructor(name: string) {
    this.input = { name, kind: 'stdin' as const, yearHintUs: T0 + MIN };
  }

  write(text: string): void {
    this.#waiting.push(Buffer.from(text));
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *open(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#waiting.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#closed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

interface Change {
  readonly at: number;
  readonly kind: FindingChange['kind'];
  readonly rule: string;
}

function collect() {
  const changes: Change[] = [];
  return {
    changes,
    onUpdate(_: unknown, list: readonly FindingChange[]) {
      for (const { kind, finding } of list) changes.push({ at: performance.now(), kind, rule: finding.rule });
    },
  };
}

const UNTRUSTED = 'tls: failed to verify certificate: x509: certificate signed by unknown authority';

function troubled() {
  const [cp1, cp2] = [server('cp1').boots(T0), server('cp2').boots(T0)];
  learns(cp2, cp1, T0 + 15 * SEC);
  for (let at = 20; at < 60; at += 5) failsToLearn(cp1, cp2, T0 + at * SEC, UNTRUSTED);
  return [cp1, cp2] as const;
}

describe('watch', () => {
  test('tells a finding within 2 s of the record that proves it, and its end', async () => {
    const [cp1, cp2] = troubled();
    const before = cp1.log.length;
    learns(cp1, cp2, T0 + 100 * SEC);
    cp1.says(T0 + 140 * SEC, 'I', 'controller.go', 'something');
    const live = new LiveSource('cp1-kube-apiserver.log');
    const { changes, onUpdate } = collect();
    const done = watch([...memorySources(inputsOf([cp1, cp2], 'audit')), live], { rules: RULES, onUpdate });
    const opened = () => changes.some(({ kind, rule }) => kind === 'opened' && rule === 'peer-ca-untrusted');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(opened()).toBe(false);
    const written = performance.now();
    live.write(textOf(cp1.log.slice(0, before)));
    await until(opened, 'it is opened');
    // Two seconds are the promise; a busy machine gets some more.
    expect((changes.find(({ rule }) => rule === 'peer-ca-untrusted')?.at ?? Infinity) - written).toBeLessThan(4_000);
    live.write(textOf(cp1.log.slice(before)));
    live.close();
    const { findings } = await done;
    expect(findings.find(({ rule }) => rule === 'peer-ca-untrusted')?.severity).toBe('warning');
  });

  test('ends when it is aborted, though an input never ends', async () => {
    const live = new LiveSource('cp1-audit.log');
    const [cp1] = cluster(['cp1', 'cp2']);
    live.write(textOf(cp1?.audit ?? []));
    const abort = new AbortController();
    const { onUpdate } = collect();
    const done = watch([live], { rules: RULES, onUpdate, signal: abort.signal });
    setTimeout(() => abort.abort(), 400).unref();
    const { servers } = await done;
    expect(servers.map(({ name }) => name)).toContain('cp1');
  });

  test('of files alone comes to what analyze comes to', async () => {
    const inputs = inputsOf(troubled());
    const { onUpdate, changes } = collect();
    const watched = await watch(memorySources(inputs), { rules: RULES, onUpdate });
    expect(watched).toEqual(await analyze(memorySources(inputs), { rules: RULES }));
    expect(changes.map(({ kind }) => kind)).toEqual(watched.findings.map(() => 'opened'));
  });
});
