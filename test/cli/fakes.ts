/** A terminal that keeps what is written, and stages that answer without analysis. */
import { Writable } from 'node:stream';
import type { Stages } from '../../src/cli/stages.js';
import type { Terminal, TerminalStream } from '../../src/cli/terminal.js';
import type { Analysis } from '../../src/model/analysis.js';
import type { Finding } from '../../src/model/finding.js';
import { readSource, type Source } from '../../src/sources/source.js';
import { finding as example } from '../findings/examples.js';

export class FakeStream extends Writable implements TerminalStream {
  text = '';
  isTTY = false;
  columns = 100;
  rows = 24;

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

/** A stream whose reader has gone away. */
export class BrokenStream extends FakeStream {
  constructor(readonly code: string) {
    super();
  }

  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    done(Object.assign(new Error('broken'), { code: this.code }));
  }
}

export interface FakeTerminal extends Terminal {
  readonly stdout: FakeStream;
  readonly stderr: FakeStream;
  readonly interruption: AbortController;
  env: Record<string, string>;
}

export function fakeTerminal(over: { stdout?: FakeStream; now?: () => number } = {}): FakeTerminal {
  const interruption = new AbortController();
  return {
    name: 'skewscope',
    stdout: over.stdout ?? new FakeStream(),
    stderr: new FakeStream(),
    stdinIsTTY: false,
    env: {},
    now: over.now ?? (() => Date.UTC(2026, 0, 5, 12)),
    interrupted: interruption.signal,
    onHangUp: () => () => {},
    interruption,
  };
}

export function finding(over: Partial<Finding> = {}): Finding {
  const texts = {
    title: 'The peer CA does not cover the destination',
    meaning: 'm',
    cause: 'c',
    fix: 'f',
    verify: 'v',
  };
  return example({ ...texts, ...over });
}

export function analysis(over: Partial<Analysis> = {}): Analysis {
  return {
    inputs: [{ name: 'a.log', kind: 'file', bytes: 10, records: 1, server: null, problems: {} }],
    window: null,
    servers: [],
    clusters: ['default'],
    proxied: { total: 0, failed: 0, routes: [] },
    discovery: [],
    notFound: [],
    findings: [],
    unjudged: [],
    ...over,
  };
}

/** Stages whose analysis is made from the text that was read: each word `critical`, `warning`, `info` is a finding. */
export const wordStages: Stages = {
  async analyze(sources) {
    return wordAnalysis(sources, () => {});
  },
  async watch(sources, { onUpdate }) {
    return wordAnalysis(sources, (current) => {
      const last = current.findings.at(-1);
      onUpdate(current, last === undefined ? [] : [{ kind: 'opened', finding: last }]);
    });
  },
  async traceRequest(_sources, auditID) {
    return { auditID, requests: [], notes: [] };
  },
};

async function wordAnalysis(sources: readonly Source[], onFinding: (analysis: Analysis) => void): Promise<Analysis> {
  const findings: Finding[] = [];
  const inputs: Analysis['inputs'][number][] = [];
  for (const source of sources) {
    const problems: { unreadable?: number } = {};
    let text = '';
    for await (const chunk of readSource(source, () => {
      problems.unreadable = 1;
    })) {
      text += chunk.toString('utf8');
    }
    const { name, kind, server } = source.input;
    inputs.push({ name, kind, bytes: text.length, records: text === '' ? 0 : 1, server: server ?? null, problems });
    for (const [severity] of text.matchAll(/critical|warning|info/g)) {
      findings.push(finding({ severity: severity as Finding['severity'], fingerprint: String(findings.length) }));
      onFinding(analysis({ inputs, findings: [...findings] }));
    }
  }
  return analysis({ inputs, findings });
}
