/** The JSON envelopes that are known. The first one whose marks are all there counts, so the particular come first. */
import { type FactPaths, type ObjectShape, ready } from './shape.js';

/** Where shippers say whose record it is. */
export const SHIPPER: FactPaths = {
  pod: ['kubernetes/pod_name', 'kubernetes/pod/name', 'podName', 'pod_name', 'attributes/k8s.pod.name'],
  host: [
    'kubernetes/host',
    'kubernetes/pod_node_name',
    'kubernetes/node/name',
    'nodeName',
    'node_name',
    'node',
    'hostname',
    'host',
    'host/name',
    'host/hostname',
    'agent/hostname',
    'agent/name',
    '__tag__:__hostname__',
    '_HOSTNAME',
    '_sourceHost',
  ],
  component: ['kubernetes/container_name', 'kubernetes/container/name', 'containerName', 'container_name'],
  cluster: [
    'kubernetes/cluster_name',
    'kubernetes/cluster',
    'cluster_name',
    'cluster',
    'orchestrator/cluster/name',
    'fields/cluster',
    'openshift/cluster_id',
    'resourceId',
  ],
  source: ['log_source'],
  file: ['file', 'log/file/path', 'path', 'filename', 'source'],
  stream: ['stream'],
  time: ['@timestamp', 'timestamp', 'time', 'date', '__time__'],
};

const LABELS: FactPaths = {
  pod: ['pod', 'pod_name', 'k8s_pod_name'],
  host: ['node_name', 'node', 'host', 'hostname', 'k8s_node_name', 'nodename', 'instance'],
  component: ['container', 'container_name', 'k8s_container_name'],
  cluster: ['cluster', 'cluster_name', 'k8s_cluster_name'],
  file: ['filename'],
  stream: ['stream'],
};

const OTLP_ATTRIBUTES: FactPaths = {
  pod: ['=k8s.pod.name'],
  host: ['=k8s.node.name', '=kubernetes.host', '=host.name'],
  component: ['=k8s.container.name'],
  cluster: ['=k8s.cluster.name', '=openshift.cluster.uid'],
  source: ['=openshift.log.source', '=log_source'],
  file: ['=log.file.path'],
  stream: ['=log.iostream'],
};

const SHAPES: readonly ObjectShape[] = [
  // Bodies that hold many records.
  { name: 'event list', marks: ['kind:EventList', 'items'], event: ['items/*'] },
  { name: 'Loki push', marks: ['streams/0/stream'], entries: ['streams/*'] },
  { name: 'Loki query', marks: ['data/result/0/values'], entries: ['data/result/*'] },
  {
    name: 'Loki stream',
    marks: ['stream', 'values/0/1'],
    from: { ...under('stream', LABELS), time: ['values/0/0'] },
    event: ['values/*/1'],
  },
  {
    name: 'logcli',
    marks: ['labels', 'line'],
    from: { ...under('labels', LABELS), time: ['timestamp'] },
    event: ['line'],
  },
  { name: 'OTLP', marks: ['resourceLogs'], entries: ['resourceLogs/*'] },
  { name: 'OTLP, snake case', marks: ['resource_logs'], entries: ['resource_logs/*'] },
  ...['scopeLogs', 'scope_logs', 'instrumentationLibraryLogs'].map((scopes) => ({
    name: `OTLP resource, ${scopes}`,
    marks: [scopes],
    from: under('resource/attributes', OTLP_ATTRIBUTES),
    entries: [`${scopes}/*/logRecords/*`, `${scopes}/*/log_records/*`, `${scopes}/*/logs/*`],
  })),
  ...['timeUnixNano', 'time_unix_nano', 'observedTimeUnixNano', 'attributes'].map((mark) => ({
    name: `OTLP record, ${mark}`,
    marks: ['body', mark],
    from: { ...under('attributes', OTLP_ATTRIBUTES), time: [mark] },
    event: ['body'],
    stored: 'otlp' as const,
  })),
  { name: 'CloudWatch control message', marks: ['messageType:CONTROL_MESSAGE', 'logEvents'] },
  {
    name: 'CloudWatch subscription',
    marks: ['logEvents', 'logStream'],
    from: { pod: ['logStream'], cluster: ['logGroup'], time: ['logEvents/0/timestamp'] },
    event: ['logEvents/*/message'],
  },
  { name: 'CloudWatch events', marks: ['events/0/message'], entries: ['events/*'] },
  {
    name: 'CloudWatch event',
    marks: ['message', 'ingestionTime'],
    from: { pod: ['logStreamName'], time: ['timestamp'] },
    event: ['message'],
  },
  { name: 'CloudWatch Insights', marks: ['results/0/0/field'], entries: ['results/*'] },
  {
    name: 'CloudWatch Insights row',
    marks: ['=@message'],
    from: { pod: ['=@logStream'], time: ['=@timestamp'] },
    event: ['=@message'],
  },
  { name: 'CloudWatch to Lambda', marks: ['awslogs/data'], event: ['awslogs/data'], stored: 'base64' },
  { name: 'Kinesis to Lambda', marks: ['Records/0/kinesis/data'], event: ['Records/*/kinesis/data'], stored: 'base64' },
  { name: 'Azure Event Hub', marks: ['records/0/category'], entries: ['records/*'] },
  {
    name: 'Azure record',
    marks: ['category', 'properties/log'],
    from: {
      pod: ['properties/pod'],
      component: ['category'],
      cluster: ['resourceId'],
      stream: ['properties/stream'],
      time: ['time'],
    },
    event: ['properties/log'],
  },
  { name: 'Azure Log Analytics', marks: ['value/0/log_s'], entries: ['value/*'] },
  { name: 'Azure Logic App', marks: ['body/value/0/log_s'], entries: ['body/value/*'] },
  {
    name: 'Azure diagnostics row',
    marks: ['log_s'],
    from: {
      pod: ['pod_s'],
      component: ['Category'],
      cluster: ['_ResourceId', 'ResourceId'],
      stream: ['stream_s'],
      time: ['TimeGenerated'],
    },
    event: ['log_s'],
  },
  { name: 'Elasticsearch search', marks: ['hits/hits'], entries: ['hits/hits/*'] },
  { name: 'Elasticsearch document', marks: ['_source', '_index'], entries: ['_source'] },
  // One record each.
  {
    name: 'journald',
    marks: ['MESSAGE', '__REALTIME_TIMESTAMP'],
    from: {
      pod: ['CONTAINER_NAME'],
      host: ['_HOSTNAME'],
      component: ['_SYSTEMD_UNIT', 'SYSLOG_IDENTIFIER'],
      time: ['__REALTIME_TIMESTAMP'],
    },
    event: ['MESSAGE'],
    piece: { at: ['_LINE_BREAK'], means: ['line-max'] },
    stored: 'bytes',
  },
  {
    name: 'Kafka dump',
    marks: ['topic', 'partition', 'offset', 'payload'],
    from: {
      host: ['headers/node', 'headers/host', 'headers/hostname', 'headers/source', 'key'],
      cluster: ['headers/cluster'],
      time: ['ts'],
    },
    event: ['payload'],
  },
  { name: 'Kafka Connect', marks: ['schema', 'payload'], event: ['payload'] },
  { name: 'CloudEvents', marks: ['specversion', 'data'], from: { host: ['source'], time: ['time'] }, event: ['data'] },
  {
    name: 'GELF',
    marks: ['version', 'host', 'short_message'],
    from: { ...SHIPPER, pod: ['_pod_name', '_kubernetes_pod_name'] },
    event: ['full_message', 'short_message'],
  },
  { name: 'Splunk HEC', marks: ['event', 'sourcetype'], from: { ...SHIPPER, file: ['source'] }, event: ['event'] },
  {
    name: 'Splunk HEC, bare',
    marks: ['event', 'host', 'time'],
    from: { ...SHIPPER, file: ['source'] },
    event: ['event'],
  },
  {
    name: 'Splunk export',
    marks: ['result/_raw'],
    from: { host: ['result/host'], file: ['result/source'], time: ['result/_time'] },
    event: ['result/_raw'],
  },
  { name: 'Datadog archive', marks: ['attributes/auditID'], from: SHIPPER, event: ['attributes'] },
  { name: 'Datadog intake', marks: ['ddsource', 'message'], from: SHIPPER, event: ['message'] },
  { name: 'Elastic Agent', marks: ['kubernetes/audit'], from: SHIPPER, event: ['kubernetes/audit'] },
  { name: 'Filebeat', marks: ['message', '@timestamp', 'agent'], from: SHIPPER, event: ['message'] },
  {
    name: 'fluent-bit, container record',
    marks: ['log', 'kubernetes'],
    from: SHIPPER,
    event: ['log_processed', 'log'],
    piece: { at: ['_p', 'logtag'], means: ['P'] },
  },
  {
    name: 'CRI record',
    marks: ['log', '_p'],
    from: SHIPPER,
    event: ['log'],
    piece: { at: ['_p'], means: ['P'] },
  },
  {
    name: 'CRI record of fluentd',
    marks: ['log', 'logtag'],
    from: SHIPPER,
    event: ['log'],
    piece: { at: ['logtag'], means: ['P'] },
  },
  { name: 'fluent-bit, dated', marks: ['log', '@timestamp'], from: SHIPPER, event: ['log_processed', 'log'] },
  {
    name: 'docker',
    marks: ['log', 'stream', 'time'],
    from: SHIPPER,
    event: ['log'],
    piece: 'without-line-end',
  },
  { name: 'fluent-bit, merged under a key', marks: ['log_processed'], from: SHIPPER, event: ['log_processed'] },
  { name: 'Vector', marks: ['message', 'source_type'], from: SHIPPER, event: ['message'] },
  { name: 'Logstash', marks: ['message', '@version'], from: SHIPPER, event: ['message'] },
  { name: 'stern', marks: ['message', 'podName', 'containerName'], from: SHIPPER, event: ['message'] },
  { name: 'container message', marks: ['message', 'kubernetes'], from: SHIPPER, event: ['message'] },
  { name: 'dated message', marks: ['message', '@timestamp'], from: SHIPPER, event: ['message'] },
];

/** Tried last: a text under one of the usual keys, taken only if it looks like a record. */
const LOOSE: readonly ObjectShape[] = [
  ...['message', 'log', 'MESSAGE', 'body', 'line', '_raw', 'event', 'payload', 'short_message', '@message'],
  ...['msg', 'textPayload', 'data', 'text', 'value', 'record', 'jsonPayload/message'],
].map((key) => ({ name: `under ${key}`, marks: [key], from: SHIPPER, event: [key], loose: true }));

export const objectShapes = [...SHAPES, ...LOOSE].map(ready);

function under(prefix: string, from: FactPaths): FactPaths {
  return Object.fromEntries(
    Object.entries(from).map(([fact, paths]) => [fact, paths.map((path) => `${prefix}/${path}`)]),
  );
}
