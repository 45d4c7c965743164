/** Hand-made envelopes, one for each known shape, around any text of a record. */

export interface Wrapping {
  readonly name: string;
  /** The writer that the envelope names. */
  readonly writer: string | undefined;
  /** The envelope as lines; `text` is a record on one line. */
  wrap(text: string): string;
}

export const POD = 'kube-apiserver-cp-1';
export const HOST = 'cp-1';
const TIME = '2026-05-01T10:00:00.123456789Z';
const kubernetes = { pod_name: POD, namespace_name: 'kube-system', container_name: 'kube-apiserver', host: HOST };
const json = JSON.stringify;
const otlp = (body: unknown) => ({
  resourceLogs: [
    {
      resource: { attributes: [{ key: 'k8s.node.name', value: { stringValue: HOST } }] },
      scopeLogs: [{ scope: {}, logRecords: [{ timeUnixNano: '1777629600000000000', body }] }],
    },
  ],
});
const event = (text: string) => JSON.parse(text) as Record<string, unknown>;

export const lineWrappings: readonly Wrapping[] = [
  { name: 'CRI', writer: undefined, wrap: (text) => `${TIME} stdout F ${text}` },
  { name: 'CRI of CRI-O', writer: undefined, wrap: (text) => `2026-05-01T10:00:00.123456789+02:00 stderr F ${text}` },
  { name: 'kubectl --prefix', writer: HOST, wrap: (text) => `[pod/${POD}/kube-apiserver] ${text}` },
  { name: 'kubectl --timestamps', writer: undefined, wrap: (text) => `${TIME} ${text}` },
  { name: 'kubectl with both', writer: HOST, wrap: (text) => `[pod/${POD}/kube-apiserver] ${TIME} ${text}` },
  { name: 'stern', writer: HOST, wrap: (text) => `${POD} kube-apiserver ${text}` },
  { name: 'stern -A', writer: HOST, wrap: (text) => `kube-system ${POD} kube-apiserver ${text}` },
  { name: 'journalctl', writer: HOST, wrap: (text) => `May 01 10:00:00 cp-1 kube-apiserver[4242]: ${text}` },
  {
    name: 'journalctl -o short-iso',
    writer: HOST,
    wrap: (text) => `2026-05-01T10:00:00+0000 cp-1 kube-apiserver[4242]: ${text}`,
  },
  {
    name: 'journalctl -o short-full',
    writer: HOST,
    wrap: (text) => `Fri 2026-05-01 10:00:00 UTC cp-1 kube-apiserver[4242]: ${text}`,
  },
  { name: 'syslog', writer: HOST, wrap: (text) => `<134>May  1 10:00:00 cp-1 kube-apiserver[1]: ${text}` },
  {
    name: 'syslog RFC 5424',
    writer: HOST,
    wrap: (text) => `<134>1 ${TIME} cp-1 kube-apiserver 1 - [a@1 b="c\\"]"] ${text}`,
  },
  { name: 'oc adm node-logs', writer: HOST, wrap: (text) => `cp-1 ${text}` },
  { name: 'talosctl logs', writer: '192.0.2.7', wrap: (text) => `192.0.2.7: ${text}` },
  { name: 'talosctl logs -k', writer: '192.0.2.7', wrap: (text) => `192.0.2.7: ${TIME} stderr F ${text}` },
  { name: 'grep', writer: undefined, wrap: (text) => `/var/log/kubernetes/audit/audit.log:${text}` },
  { name: 'grep -n', writer: 'm-0.example', wrap: (text) => `logs/m-0.example-audit.log:17:${text}` },
  {
    name: 'grep in the files of pods',
    writer: HOST,
    wrap: (text) => `/var/log/pods/kube-system_${POD}_0a-1/kube-apiserver/0.log:${TIME} stdout F ${text}`,
  },
  {
    name: 'aws logs tail',
    writer: '0123456789abcdef0123456789abcdef',
    wrap: (text) => `2026-05-01T10:00:00.5+00:00 kube-apiserver-audit-0123456789abcdef0123456789abcdef ${text}`,
  },
  { name: 'logcli', writer: HOST, wrap: (text) => `2026-05-01T10:00:00Z {job="a \\"b", node_name="cp-1"} ${text}` },
  { name: 'Kafka console', writer: HOST, wrap: (text) => `CreateTime:1777629600000\tcp-1\t${text}` },
  {
    name: 'Kafka console with headers',
    writer: HOST,
    wrap: (text) => `CreateTime:1777629600000\tPartition:0\tOffset:5\ta:b,node:cp-1\tnull\t${text}`,
  },
];

export const textWrappings: readonly Wrapping[] = [
  {
    name: 'docker',
    writer: undefined,
    wrap: (text) => json({ log: `${text}\n`, stream: 'stdout', time: TIME }),
  },
  {
    name: 'fluent-bit',
    writer: HOST,
    wrap: (text) => json({ '@timestamp': 1777629600.5, stream: 'stdout', _p: 'F', log: `${text}\n`, kubernetes }),
  },
  { name: 'fluentd', writer: HOST, wrap: (text) => json({ log: text, '@timestamp': TIME, hostname: HOST }) },
  {
    name: 'Vector file',
    writer: HOST,
    wrap: (text) => json({ file: '/a/audit.log', host: HOST, message: text, source_type: 'file', timestamp: TIME }),
  },
  {
    name: 'Vector kubernetes_logs',
    writer: HOST,
    wrap: (text) =>
      json({
        kubernetes: { pod_name: POD, pod_node_name: HOST, container_name: 'kube-apiserver' },
        message: text,
        source_type: 'kubernetes_logs',
      }),
  },
  {
    name: 'Filebeat',
    writer: HOST,
    wrap: (text) =>
      json({ '@timestamp': TIME, log: { offset: 0 }, message: text, host: { name: HOST }, agent: {}, event: {} }),
  },
  { name: 'Logstash', writer: HOST, wrap: (text) => json({ '@version': '1', message: text, host: HOST }) },
  {
    name: 'Logstash, host object',
    writer: HOST,
    wrap: (text) => json({ '@version': '1', message: text, host: { name: HOST } }),
  },
  {
    name: 'Loki push',
    writer: HOST,
    wrap: (text) => json({ streams: [{ stream: { node_name: HOST }, values: [['1777629600000000000', text, {}]] }] }),
  },
  {
    name: 'Loki query',
    writer: HOST,
    wrap: (text) =>
      json({
        status: 'success',
        data: { resultType: 'streams', result: [{ stream: { pod: POD }, values: [['1777629600000000000', text]] }] },
      }),
  },
  {
    name: 'logcli -o jsonl',
    writer: HOST,
    wrap: (text) => json({ labels: { node: HOST }, line: text, timestamp: TIME }),
  },
  { name: 'OTLP string', writer: HOST, wrap: (text) => json(otlp({ stringValue: text })) },
  {
    name: 'OTLP bytes',
    writer: HOST,
    wrap: (text) => json(otlp({ bytesValue: Buffer.from(text).toString('base64') })),
  },
  { name: 'Splunk HEC', writer: HOST, wrap: (text) => json({ time: 1.5, host: HOST, sourcetype: 'a', event: text }) },
  { name: 'Splunk export', writer: HOST, wrap: (text) => json({ preview: false, result: { _raw: text, host: HOST } }) },
  {
    name: 'CloudWatch subscription',
    writer: 'ab12',
    wrap: (text) =>
      json({ messageType: 'DATA_MESSAGE', logStream: 'kube-apiserver-audit-ab12', logEvents: [{ message: text }] }),
  },
  {
    name: 'CloudWatch filter-log-events',
    writer: 'ab12',
    wrap: (text) =>
      json({
        events: [{ logStreamName: 'kube-apiserver-ab12', timestamp: 1777629600000, message: text, ingestionTime: 1 }],
      }),
  },
  {
    name: 'CloudWatch Insights',
    writer: 'ab12',
    wrap: (text) =>
      json({
        results: [
          [
            { field: '@message', value: text },
            { field: '@logStream', value: 'kube-apiserver-audit-ab12' },
          ],
        ],
      }),
  },
  {
    name: 'Azure Event Hub',
    writer: 'kube-apiserver-6df5497d6d-g2vd7',
    wrap: (text) =>
      json({
        records: [{ category: 'kube-audit', properties: { log: `${text}\n`, pod: 'kube-apiserver-6df5497d6d-g2vd7' } }],
      }),
  },
  {
    name: 'kcat -J',
    writer: HOST,
    wrap: (text) =>
      json({
        topic: 'audit',
        partition: 0,
        offset: 7,
        ts: 1777629600000,
        headers: ['a', 'node', 'node', HOST],
        key: null,
        payload: text,
      }),
  },
  { name: 'Kafka Connect', writer: undefined, wrap: (text) => json({ schema: { type: 'string' }, payload: text }) },
  { name: 'GELF', writer: HOST, wrap: (text) => json({ version: '1.1', host: HOST, short_message: text }) },
  {
    name: 'GELF in a message',
    writer: HOST,
    wrap: (text) => json({ message: json({ version: '1.1', host: HOST, short_message: text }) }),
  },
  {
    name: 'journald',
    writer: HOST,
    wrap: (text) =>
      json({
        __REALTIME_TIMESTAMP: '1777629600000000',
        _HOSTNAME: HOST,
        _SYSTEMD_UNIT: 'kube-apiserver.service',
        MESSAGE: text,
      }),
  },
  {
    name: 'journald, bytes',
    writer: HOST,
    wrap: (text) =>
      json({ __REALTIME_TIMESTAMP: '1777629600000000', _HOSTNAME: HOST, MESSAGE: [...Buffer.from(text)] }),
  },
  {
    name: 'stern -o json',
    writer: HOST,
    wrap: (text) => json({ message: text, nodeName: HOST, podName: POD, containerName: 'kube-apiserver' }),
  },
  { name: 'Datadog', writer: HOST, wrap: (text) => json({ ddsource: 'a', hostname: HOST, message: text }) },
  {
    name: 'docker in CRI in Kafka',
    writer: HOST,
    wrap: (text) =>
      json({
        schema: {},
        payload: `cp-1 ${TIME} stdout F ${json({ log: `${text}\n`, stream: 'stdout', time: TIME })}`,
      }),
  },
  {
    name: 'an unknown envelope',
    writer: HOST,
    wrap: (text) => json({ whatever: 1, hostname: HOST, textPayload: text }),
  },
];

/** The record is stored as an object: only JSON fits, and most of it is written anew. */
export const objectWrappings: readonly Wrapping[] = [
  { name: 'encoded twice', writer: undefined, wrap: (text: string) => json(text) },
  {
    name: 'fluent-bit, merge_log',
    writer: HOST,
    wrap: (text) => json({ '@timestamp': 1.5, log: text, ...event(text), kubernetes }),
  },
  {
    name: 'fluent-bit, merge_log_key',
    writer: HOST,
    wrap: (text) => json({ '@timestamp': 1.5, log_processed: event(text), kubernetes }),
  },
  { name: 'an added host name', writer: HOST, wrap: (text) => json({ ...event(text), hostname: HOST }) },
  {
    name: 'added Kubernetes metadata',
    writer: HOST,
    wrap: (text) => json({ ...event(text), kubernetes: { host: HOST } }),
  },
  {
    name: 'Elastic Agent',
    writer: HOST,
    wrap: (text) => json({ '@timestamp': TIME, kubernetes: { audit: event(text) }, host: { name: HOST } }),
  },
  {
    name: 'Elasticsearch',
    writer: HOST,
    wrap: (text) =>
      json({
        hits: { hits: [{ _index: 'a', _source: { kubernetes: { audit: event(text) }, host: { name: HOST } } }] },
      }),
  },
  {
    name: 'Splunk HEC with an object',
    writer: HOST,
    wrap: (text) => json({ time: 1, host: HOST, sourcetype: 'a', event: event(text) }),
  },
  { name: 'OTLP key/value list', writer: HOST, wrap: (text) => json(otlp(anyValue(event(text)))) },
  { name: 'CloudEvents', writer: HOST, wrap: (text) => json({ specversion: '1.0', source: HOST, data: event(text) }) },
  { name: 'Datadog archive', writer: HOST, wrap: (text) => json({ host: HOST, attributes: event(text) }) },
  {
    name: 'an event list in a Kafka dump',
    writer: HOST,
    wrap: (text) =>
      json({
        topic: 'a',
        partition: 0,
        offset: 0,
        key: HOST,
        payload: json({ kind: 'EventList', items: [event(text)] }),
      }),
  },
];

/** A value as OTLP writes it. */
function anyValue(value: unknown): unknown {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (value === null || typeof value !== 'object') return {};
  return { kvlistValue: { values: Object.entries(value).map(([key, item]) => ({ key, value: anyValue(item) })) } };
}
