/** The built program over stages that make findings from words: what a process does, apart from analysis. */
import { processTerminal } from '../../../dist/cli/process-terminal.js';
import { runCli } from '../../../dist/cli/run.js';

const finding = (severity, at) => ({
  rule: 'peer-ca-untrusted',
  title: 't',
  fingerprint: String(at),
  severity,
  confidence: 'certain',
  cluster: 'default',
  server: 'cp1',
  edges: [],
  resource: null,
  objects: [],
  from: 0,
  to: 0,
  count: 1,
  summary: `the word ${severity}`,
  meaning: 'm',
  cause: 'c',
  fix: 'f',
  verify: 'v',
  references: [],
  evidence: [],
});

async function read(sources, { signal, onProgress }, onFinding) {
  if (process.env.ANNOUNCE) process.stderr.write('reading\n');
  const findings = [];
  const inputs = [];
  const result = () => ({
    inputs,
    window: null,
    servers: [],
    clusters: ['default'],
    proxied: { total: 0, failed: 0, routes: [] },
    discovery: [],
    notFound: [],
    findings: [...findings],
    unjudged: [],
  });
  for (const source of sources) {
    const input = {
      name: source.input.name,
      kind: source.input.kind,
      bytes: 0,
      records: 0,
      server: null,
      problems: {},
    };
    inputs.push(input);
    const chunks = source.open()[Symbol.asyncIterator]();
    const stopped = new Promise((resolve) => {
      const stop = () => resolve({ done: true });
      if (signal.aborted) stop();
      signal.addEventListener('abort', stop);
    });
    for (;;) {
      const { done, value } = await Promise.race([chunks.next(), stopped]);
      if (done) break;
      input.bytes += value.length;
      input.records++;
      if (process.env.ANNOUNCE) process.stderr.write('read\n');
      onProgress({ bytes: input.bytes, totalBytes: null });
      for (const [word] of value.toString().matchAll(/critical|warning|info/g)) {
        findings.push(finding(word, findings.length));
        onFinding(result(), { kind: 'opened', finding: findings.at(-1) });
      }
    }
  }
  return result();
}

const stages = {
  analyze: (sources, options) => read(sources, options, () => {}),
  watch: (sources, options) => read(sources, options, (analysis, change) => options.onUpdate(analysis, [change])),
  traceRequest: async (_sources, auditID) => ({ auditID, requests: [], notes: [] }),
};

process.exit(await runCli(process.argv.slice(2), processTerminal(), stages));
