import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { renderText } from '../../../src/report/text/index.js';
import { analysis, finding } from '../example.js';
import { withStrings } from '../hostile.js';

const plain = { color: false, width: 90 };

test('of proofs from several inputs one of each is shown before a second of any', () => {
  const proof = (input: string, line: number) => ({ input, line, offset: 0, quote: `${input} says ${line}` });
  const evidence = [proof('cp1.log', 1), proof('cp1.log', 2), proof('cp2.log', 3)];
  const text = renderText(analysis({ findings: [finding({ evidence })] }), plain);
  expect(text).toContain('cp1.log says 1\n            cp2.log:3\n            cp2.log says 3\n');
  expect(text).not.toContain('cp1.log says 2');
  expect(renderText(analysis({ findings: [finding({ evidence: evidence.slice(0, 2) })] }), plain)).toContain('says 2');
});

describe('renderText', () => {
  test('says what is wrong, what to do, and what stands behind it', () => {
    expect(renderText(analysis(), plain)).toBe(`cp1 does not trust the serving certificate of cp2.
3 problems, 2 critical, 1 only possible. Clients of cp1 got 23 wrong 404 answers, 11:21:00
to 11:28:00 UTC. 2 requests could not be passed on to a peer.
Looked at 2026-01-02 11:20:00 to 11:30:00 UTC (10 min 00 s); 2 servers: cp1 and cp2; 3,000
records in 2 inputs; 11 proxied requests.

  1  CRITICAL  cp1 does not trust the serving certificate of cp2.     36x
  2  CRITICAL  cp1 answered 404 for jobs.batch/v1, which cp2 serves.  23x
  3  WARNING?  cp1 never learnt the APIs of cp2.

1. CRITICAL  A server does not trust the certificates of its peers  [peer-ca-untrusted]
   What     cp1 does not trust the serving certificate of cp2.
   Means    It can pass nothing on to cp2.
   Cause    The file of --peer-ca-file on cp1 lacks the CA that signed the certificate of
            cp2.
   Fix      On cp1, add that CA to the file of --peer-ca-file and restart kube-apiserver.
   Verify   No x509 error follows the next "Proxying request" line of cp1.
   Seen     on cp1; call cp1 → cp2; 36 times, 11:21:00 to 11:28:00 UTC; certain
   Proof    logs/cp1-kube-apiserver.log:217
            E0102 11:21:00.000000 1 peerproxy_handler.go:1] "Error while proxying"
            err="x509: unknown authority"\\n\\x1b[31m

2. CRITICAL  404 for a resource that a live peer serves  [wrong-not-found]
   What     cp1 answered 404 for jobs.batch/v1, which cp2 serves.
   Fix      Mend the cause named above.
   Seen     on cp1; jobs.batch/v1; 23 times, 11:21:00 to 11:28:00 UTC; certain

3. WARNING (possible)  A server knows nothing of the APIs of a peer  [discovery-edge-missing]
   What     This may be so, the records do not prove it: cp1 never learnt the APIs of cp2.
   Seen     call cp1 → cp2; 11:21:00 to 11:28:00 UTC; possible

Also noted
  mixed-version-window  v1.35.4 and v1.36.3 ran side by side.

Servers
  server  versions  address         peer proxy  known by   last start
  cp1     v1.36.3   10.0.0.11:6443  active      file name  11:20:00
  cp2     v1.36.3   10.0.0.12:6443  active      file name  11:20:01

Requests passed on to peers
  from → to  verb  resource       code  count  hop p50    p99
  cp2 → cp1  list  jobs.batch/v1   200     11   2.3 ms  11 ms

Peer discovery
  from \\ to  cp1  cp2
  cp1        .    FAILING
  cp2        ok   .
  ok = asked and answered; FAILING = asked, with errors; missing = not asked, or no
    more; ? = these records cannot tell
  cp1 → cp2 FAILING: 36 failures (unknown-authority), 0 answers, last 11:28:00

404 answers
  server  resource       kind   count  clients
  cp1     jobs.batch/v1  wrong     23  curl/8.0 and kubectl/v1.36.0
  ordinary ones: 1,234 where only the object was absent, 0 for types that nobody serves

Inputs
  2 inputs, 1.5 MiB, 3,000 records; 1 without anything skipped
  input               server  records  skipped
  logs/cp2-audit.log  cp2         900  1 cut-line, 2 not-json

Not judged
  no FLAG lines:
      advertise-half-set, gate-off
`);
  });

  test('says plainly that nothing was found, what was looked at, and what could not be judged', () => {
    const text = renderText(analysis({ findings: [], proxied: { total: 0, failed: 0, routes: [] } }), plain);
    expect(text.split('\n').slice(0, 4)).toStrictEqual([
      'No problem found: nothing at warning or above.',
      '2 rules could not be judged from these records: see the last section.',
      'Looked at 2026-01-02 11:20:00 to 11:30:00 UTC (10 min 00 s); 2 servers: cp1 and cp2; 3,000',
      'records in 2 inputs; 0 proxied requests.',
    ]);
    expect(text).toContain('  none: no request was seen both at');
  });

  test('does not call silence health', () => {
    const empty = analysis({
      inputs: [{ name: 'a.txt', kind: 'file', bytes: 3, records: 0, server: null, problems: { 'unknown-line': 1 } }],
      window: null,
      servers: [],
      discovery: [],
      notFound: [],
      findings: [],
      proxied: { total: 0, failed: 0, routes: [] },
    });
    const text = renderText(empty, plain);
    expect(text).toMatch(/^Nothing could be judged: no usable record in 1 input\.\n/);
    expect(text).not.toContain('No problem found');
    expect(text).toContain('1 unknown-line');
  });

  test('names the inputs that nobody is known to have written', () => {
    const inputs = analysis().inputs.map((input, at) => (at === 0 ? { ...input, server: null } : input));
    expect(renderText(analysis({ inputs }), plain)).toContain(
      '  not known to be written by one server: logs/cp1-audit.log\n',
    );
    expect(renderText(analysis(), plain)).not.toContain('not known to be written');
  });

  test('words what is only possible as possible, in the verdict too', () => {
    const findings = [finding({ rule: 'wrong-not-found', confidence: 'possible', summary: 'cp1 gave wrong answers' })];
    const text = renderText(analysis({ findings }), plain);
    expect(text).toMatch(/^This may be so, the records do not prove it: cp1 gave wrong answers\./);
    expect(text).toContain('Clients of cp1 may have got 36 wrong 404 answers');
    expect(text).toContain('CRITICAL (possible)');
  });

  test('gives dates where the findings span days', () => {
    const from = Date.UTC(2026, 0, 1, 23, 59) * 1000;
    const text = renderText(analysis({ findings: [finding({ from })] }), plain);
    expect(text).toContain('2026-01-01 23:59:00 to 2026-01-02 11:28:00 UTC');
  });

  test('repeats no date, and gives none for what has no time', () => {
    const window = { from: Date.UTC(2026, 0, 1, 20) * 1000, to: Date.UTC(2026, 0, 2, 12) * 1000 };
    const untimed = finding({ rule: 'audit-damaged', from: 0, to: 0, count: 3, server: null });
    const text = renderText(analysis({ window, findings: [finding({}), untimed] }), plain);
    expect(text).toContain('36 times, 2026-01-02 11:21:00 to 11:28:00 UTC');
    expect(text).toContain('Seen     3 times; certain');
    expect(renderText(analysis({ findings: [untimed] }), plain)).toContain(' 11:20:01\n');
  });

  test('shows the last of several starts and stops', () => {
    const [first, second] = analysis().servers;
    const at = (minute: number) => Date.UTC(2026, 0, 2, 11, minute) * 1000;
    const servers = [{ ...first, starts: [at(22), at(25)], stops: [at(24)] }, second] as (typeof first)[];
    const text = renderText(analysis({ servers: servers.flatMap((server) => server ?? []) }), plain);
    expect(text).toMatch(/ last start +last stop\n.* 11:25:00 \(2\) +11:24:00\n.* 11:20:01\n/);
  });

  test('says how to name a server that is known by a hash alone', () => {
    const hash = 'apiserver-j6fw5vwdh4fr5uizaw6kujejnq';
    const servers = analysis().servers.map((server, at) =>
      at === 0 ? { ...server, name: hash, identity: hash } : server,
    );
    expect(renderText(analysis({ servers }), { color: false, width: 120 })).toContain(
      'as in --server cp1=- for standard',
    );
    const elsewhere = servers.map((server) => ({ ...server, knownBy: 'identity lease only' }));
    expect(renderText(analysis({ servers: elsewhere }), plain)).not.toContain('--server');
  });

  test('says of servers without a peer proxy that they ask nobody, and which failures are counted', () => {
    const [edge] = analysis().discovery;
    const servers = analysis().servers.map((server) => ({ ...server, peerProxy: 'inactive' as const }));
    const missing = { state: 'missing' as const, fetches: 0, failures: 0, lastAt: null };
    const discovery = edge === undefined ? [] : [{ ...edge, ...missing }];
    const text = renderText(analysis({ servers, discovery }), plain);
    expect(text).toContain('  cp2 has no peer proxy and asks nobody\n');
    expect(text).not.toContain('no call was seen');
    const refused = discovery.map((cell) => ({
      ...cell,
      state: 'failing' as const,
      failures: 4,
      cause: 'refused' as const,
    }));
    expect(renderText(analysis({ discovery: refused }), plain)).toContain(
      '4 failures (refused) while cp1 was up, 0 answers',
    );
  });

  test('shows harmed objects, and that there are more', () => {
    const objects = [...'abcdefgh'].map((name) => ({ resource: 'configmaps/v1', namespace: 'shop', name }));
    const text = renderText(analysis({ findings: [finding({ rule: 'gc-after-wrong-not-found', objects })] }), plain);
    expect(text).toContain('8 objects deleted or left behind wrongly.');
    expect(text).toMatch(/Harmed +configmaps\/v1 shop\/a, configmaps\/v1 shop\/b, .* and\n? +3 more/s);
  });

  test('counts edges where the matrix is too wide, and lists those that are not ok', () => {
    const names = Array.from({ length: 12 }, (_, at) => `control-plane-node-${at}`);
    const discovery = names.flatMap((source) =>
      names
        .filter((destination) => destination !== source)
        .map((destination) => ({
          source,
          destination,
          state: source === names[3] && destination === names[5] ? ('missing' as const) : ('ok' as const),
          fetches: 0,
          failures: 0,
          lastAt: null,
          cause: null,
        })),
    );
    const text = renderText(analysis({ discovery }), plain);
    expect(text).toContain('132 edges: 131 ok, 0 FAILING, 1 missing, 0 ?');
    expect(text).toContain('control-plane-node-3 → control-plane-node-5 missing: no call was seen');
  });

  test('colours only when asked to', () => {
    expect(renderText(analysis(), plain)).not.toContain('\u001b');
    const coloured = renderText(analysis(), { ...plain, color: true });
    expect(coloured).toContain('\u001b[31m');
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(renderText(analysis(), plain));
  });

  test('keeps prose within the width, words whole', () => {
    const address = 'https://kube-apiserver-control-plane-7.internal.example.com:6443/apis/batch/v1/jobs';
    const findings = [finding({ fix: `Point the client at ${address} and try again, `.repeat(3) })];
    const text = renderText(analysis({ findings }), { color: false, width: 60 });
    const fix = text.split('\n').filter((line) => line.includes('https://'));
    expect(fix).toHaveLength(3);
    for (const line of fix) expect(line).toContain(address);
    const tooLong = text.split('\n').filter((line) => line.length > 60 && !line.includes('https://'));
    expect(tooLong.filter((line) => !/^ {2}\S+ {2}/.test(line) && !line.startsWith('1. '))).toStrictEqual([]);
  });

  test('passes nothing on that a terminal acts on, whatever the logs hold', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        fc.integer({ min: 0, max: 200 }),
        (bad, color, width) => {
          const text = renderText(
            withStrings(analysis(), (part) => `${part}\n\u001b[2J\u009b\u202e${bad}`),
            { color, width },
          );
          const bare = text.replace(/\u001b\[(?:1|2|22|3[0-9]|39)m/g, '').replaceAll('\n', '');
          expect(bare).not.toMatch(/[\p{Control}\p{Bidi_Control}\p{Surrogate}\u2028\u2029]/u);
        },
      ),
    );
  });

  test('lets no log text begin a line of its own', () => {
    const forged = withStrings(analysis(), (part) => `${part}\nFORGED`);
    expect(
      renderText(forged, plain)
        .split('\n')
        .filter((line) => line.startsWith('FORGED')),
    ).toStrictEqual([]);
  });
});
