/** One stream of several servers whose records stand in envelopes that name them: the same as the servers' own files. */
import { describe, expect, test } from '@jest/globals';
import { analyze, watch } from '../../src/analysis/index.js';
import { toResult } from '../../src/report/index.js';
import { memorySources, type TestInput } from '../correlate/kit.js';
import {
  essence,
  inputsOfRun,
  isAudit,
  isProcessLog,
  linesOf,
  RULES,
  RUNS,
  resultOf,
  type TextInput,
} from './samples.js';

const TIME = '2026-11-30T11:20:00.123456789Z';
const json = JSON.stringify;

type Wrap = (server: string, line: string) => string;

const WRAPPINGS: Readonly<Record<string, Wrap>> = {
  'stern prefixes': (server, line) => `kube-apiserver-${server} kube-apiserver ${line}`,
  'kubectl logs --prefix': (server, line) => `[pod/kube-apiserver-${server}/kube-apiserver] ${line}`,
  'CRI under the names of files': (server, line) =>
    `/var/log/pods/kube-system_kube-apiserver-${server}_0a-1/kube-apiserver/0.log:${TIME} stdout F ${line}`,
  'fluent-bit with the Kubernetes filter': (server, line) =>
    json({
      '@timestamp': 1.5,
      stream: 'stdout',
      _p: 'F',
      log: line,
      kubernetes: { pod_name: `kube-apiserver-${server}`, container_name: 'kube-apiserver', host: server },
    }),
  Vector: (server, line) =>
    json({
      file: `/var/log/pods/kube-system_kube-apiserver-${server}_0a-1/kube-apiserver/0.log`,
      kubernetes: { pod_name: `kube-apiserver-${server}`, pod_node_name: server, container_name: 'kube-apiserver' },
      message: line,
      source_type: 'kubernetes_logs',
      timestamp: TIME,
    }),
  Filebeat: (server, line) =>
    json({
      '@timestamp': TIME,
      log: { offset: 0 },
      message: line,
      host: { name: server },
      agent: { type: 'filebeat' },
    }),
  OTLP: (server, line) =>
    json({
      resourceLogs: [
        {
          resource: { attributes: [{ key: 'k8s.node.name', value: { stringValue: server } }] },
          scopeLogs: [{ logRecords: [{ timeUnixNano: '1796037600000000000', body: { stringValue: line } }] }],
        },
      ],
    }),
  'added members': (server, line) =>
    line.startsWith('{') ? json({ ...JSON.parse(line), hostname: server, cluster: 'prod' }) : `${server} ${line}`,
};

const TIMES = /"stageTimestamp":"([^"]+)"/;

/** The lines of all servers' logs by time, each in its envelope. */
function merged(inputs: readonly TextInput[], wrap: Wrap): string {
  const lines = inputs.flatMap(({ name, content }) => {
    const server = name.slice(0, 3);
    let time = '';
    return linesOf(content).map((line) => {
      const own = TIMES.exec(line)?.[1] ?? klogTime(line) ?? '';
      // Each log keeps its own order.
      if (own > time) time = own;
      return { time, text: `${wrap(server, line.trimEnd())}\n` };
    });
  });
  lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  return lines.map(({ text }) => text).join('');
}

function klogTime(line: string): string | undefined {
  const match = /^[IWEF](\d\d)(\d\d) (\S+) /.exec(line);
  return match === null ? undefined : `2026-${match[1]}-${match[2]}T${match[3]}Z`;
}

function withoutClusters(result: Awaited<ReturnType<typeof resultOf>>) {
  const text = json(essence(result), (key, value) =>
    key === 'cluster' || key === 'clusters' || key === 'fingerprint' ? undefined : value,
  );
  return JSON.parse(text);
}

describe.each(RUNS)('the audit logs of %s merged by time into one file', (run) => {
  const logs = inputsOfRun(run).filter(isAudit);
  const apart = resultOf(logs).then(withoutClusters);

  const few = run === 'wrong-peer-ca' ? WRAPPINGS : { Filebeat: WRAPPINGS.Filebeat as Wrap };

  test.each(Object.entries(few))('in %s', async (_, wrap) => {
    const together = await resultOf([{ name: 'all.log', content: merged(logs, wrap) }]);
    expect(withoutClusters(together)).toEqual(await apart);
    expect(together.inputs.map(({ server }) => server)).toEqual([null]);
  });
});

describe.each(RUNS)('the audit and process logs of %s merged into one file', (run) => {
  const logs = inputsOfRun(run).filter((input) => isAudit(input) || isProcessLog(input));
  // Where a process log is read beside the audit log it dates the boots too, and with them what the rules count.
  const told = async (inputs: readonly TestInput[]) => {
    const { servers, findings, proxied, discovery, notFound } = await resultOf(inputs);
    const found = findings.map(({ rule, severity, confidence, server, edges, resource, objects }) => {
      return { rule, severity, confidence, server, edges, resource, objects };
    });
    return {
      findings: found,
      servers: servers.map(({ name, addresses }) => [name, addresses]),
      proxied,
      discovery,
      notFound,
    };
  };
  const apart = told(logs);

  test.each(run === 'wrong-peer-ca' ? ['stern prefixes', 'Vector', 'OTLP'] : ['stern prefixes'])(
    'in %s',
    async (name) => {
      const wrap = WRAPPINGS[name] as Wrap;
      expect(await told([{ name: 'all.log', content: merged(logs, wrap) }])).toEqual(await apart);
    },
  );
});

describe('one stream of several servers', () => {
  const logs = inputsOfRun('wrong-peer-ca').filter(isAudit);
  const content = merged(logs, WRAPPINGS.Vector as Wrap);

  test('over standard input, live', async () => {
    const [source] = memorySources([{ name: '-', content }], 10_000);
    if (source === undefined) throw new Error('no source');
    const live = { ...source, input: source.input, live: true, open: () => source.open() };
    const analysis = await watch([live], { rules: RULES, onUpdate: () => {} });
    expect(withoutClusters(toResult(analysis))).toEqual(withoutClusters(await resultOf(logs)));
  });

  test('belongs to the server that the user says it belongs to, whatever the envelopes call it', async () => {
    const own = merged(
      logs.filter(({ name }) => name.startsWith('cp1')),
      WRAPPINGS.Filebeat as Wrap,
    );
    const sources = memorySources([{ name: 'all.log', content: own }]);
    const analysis = await analyze(sources, { rules: RULES, servers: [{ name: 'mine', glob: 'all.log' }] });
    expect(analysis.inputs.map(({ server }) => server)).toEqual(['mine']);
  });

  test('in envelopes that name the collector alone, accuses nobody', async () => {
    const wrap: Wrap = (_, line) => (WRAPPINGS.Filebeat as Wrap)('collector-0', line);
    const { findings, inputs } = await resultOf([{ name: 'all.log', content: merged(logs, wrap) }]);
    expect(inputs.map(({ server }) => server)).toEqual([null]);
    expect(findings.filter(({ severity, confidence }) => severity !== 'info' && confidence !== 'possible')).toEqual([]);
  });

  test('beside the file of one of them, whose events are told once', async () => {
    const inputs: TestInput[] = [{ name: 'all.log', content }, ...logs.filter(({ name }) => name.startsWith('cp1'))];
    expect(withoutClusters(await resultOf(inputs))).toEqual(withoutClusters(await resultOf(logs)));
  });

  test('of two clusters, is of two clusters', async () => {
    const wrap =
      (cluster: string): Wrap =>
      (server, line) =>
        json({ ...JSON.parse(line), hostname: server, cluster });
    const both = ['a', 'b'].map((cluster) =>
      merged(logs, wrap(cluster))
        .replaceAll('"auditID":"', `"auditID":"${cluster}`)
        .replaceAll(/"uid":"(?=[0-9a-f]{8}-)/g, `"uid":"${cluster}`),
    );
    const { servers } = await resultOf([{ name: 'all.log', content: both.join('') }]);
    expect(servers.map(({ name, cluster }) => [cluster, name])).toEqual(
      ['a', 'b'].flatMap((cluster) => ['cp1', 'cp2', 'cp3'].map((name) => [cluster, name])),
    );
  });
});
