/** Public samples in the envelopes of many tools, where they are at hand. */
import { createReadStream, existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { decompress } from '../../../src/formats/decompress.js';
import { RecordDecoder } from '../../../src/formats/record-decoder.js';
import { readNamed } from '../sample-records.js';

const corpus = fileURLToPath(new URL('../../../../shared/corpus/', import.meta.url));
const maybe = existsSync(corpus) ? describe : describe.skip;

async function read(name: string) {
  const decoder = new RecordDecoder({ id: 0, name, kind: 'file', yearHintUs: Date.UTC(2026, 11, 2) * 1000 });
  const chunks: Buffer[] = [];
  for await (const chunk of decompress(createReadStream(path.join(corpus, name)), () => {})) chunks.push(chunk);
  const { records, writers: named } = readNamed(decoder, Buffer.concat(chunks));
  const audits = records.filter(({ type }) => type === 'audit').length;
  const writers = [...new Set(named)];
  return {
    audits,
    logs: records.filter(({ type }) => type === 'log').length,
    writers,
    problems: Object.fromEntries(decoder.counters.problems),
  };
}

maybe('samples in envelopes', () => {
  const host = ['cp-1.example.test'];
  const none = [undefined];
  const hex = '0123456789abcdef0123456789abcde';

  it.each<[string, number, number, readonly (string | undefined)[], Record<string, number>?]>([
    ['kubectl_logs_prefix_timestamps.log', 4, 3, host],
    ['kubectl_logs_timestamps.log', 4, 3, none],
    ['stern_default.log', 4, 3, host],
    ['stern_json.jsonl', 4, 3, host],
    ['cri_containerd.log', 5, 3, none, { 'unknown-line': 2 }],
    ['cri_crio.log', 5, 3, none, { 'unknown-line': 2 }],
    ['cri_interleaved.log', 1, 1, none],
    ['cri_orphan_partial.log', 1, 0, none, { 'cut-line': 2 }],
    ['docker_json-file.log', 5, 3, none],
    ['journalctl_json.jsonl', 4, 3, host],
    ['journalctl_json_all_linemax.jsonl', 3, 2, host],
    ['syslog_rfc5424.log', 4, 3, host],
    ['fluentbit_kafka_log_string.jsonl', 4, 3, host],
    ['fluentbit_kafka_merged.jsonl', 6, 0, host],
    ['fluentbit_merge_log_key.jsonl', 6, 0, host],
    ['fluentbit_tail_json_hostname.jsonl', 6, 0, host],
    ['fluentbit_gelf.jsonl', 6, 0, host],
    ['vector_file.jsonl', 6, 0, host],
    ['vector_kubernetes_logs.jsonl', 4, 3, host],
    ['filebeat_message.jsonl', 6, 0, host],
    ['filebeat_kubernetes_audit.jsonl', 6, 0, host],
    ['elasticsearch_hits.json', 6, 0, host],
    ['logstash.jsonl', 6, 0, host],
    ['loki_push.json', 7, 0, [...host, 'cp-2.example.test']],
    ['loki_query_range.json', 6, 0, host],
    ['logcli.jsonl', 6, 0, host],
    ['logcli_default.txt', 6, 0, host],
    ['splunk_hec_concatenated.json', 6, 0, host],
    ['splunk_export.jsonl', 6, 0, host],
    ['datadog_intake.json', 6, 0, host],
    ['datadog_archive.jsonl', 6, 0, host],
    ['aws_filter-log-events.json', 6, 1, [`${hex}f`], { 'cut-line': 1 }],
    ['aws_logs_tail.txt', 6, 0, [`${hex}f`]],
    ['aws_insights_results.json', 6, 0, [`${hex}f`]],
    ['aws_subscription.json', 6, 0, [`${hex}f`]],
    ['aws_subscription_kinesis.gz', 6, 0, [`${hex}f`]],
    ['aws_firehose_s3_concatenated.gz', 12, 0, [`${hex}f`, `${hex}0`]],
    ['aws_lambda_awslogs.json', 6, 0, [`${hex}f`]],
    // One record more than the index says: the message that it means to be cut is whole.
    ['aks_eventhub_records.json', 7, 1, ['7d9c6d5b8-abcde']],
    ['aks_storage_PT1H.json', 6, 0, ['7d9c6d5b8-abcde']],
    ['alibaba_sls.jsonl', 6, 0, host],
    ['oc_adm_node-logs.log', 6, 0, ['master-0.example.test', 'master-1.example.test', 'master-2.example.test']],
    ['talosctl_logs.log', 4, 3, ['10.5.0.3', '10.5.0.4', '10.5.0.2']],
    ['otlp_body_string.json', 6, 0, host],
    ['otlp_body_kvlist.json', 6, 0, host],
    ['otlp_body_bytes.json', 6, 0, host],
    ['kafka_ndjson_batch_value.txt', 6, 0, none],
    ['kcat_J.jsonl', 6, 0, host],
    ['kafka_connect_json_schema.jsonl', 6, 0, none],
    ['kafka_double_encoded.jsonl', 6, 0, none],
    ['cloudevents.jsonl', 6, 0, host],
    ['grep_filename_prefix.log', 6, 0, none],
  ])('%s', async (name, audits, logs, writers, problems = {}) => {
    const found = await read(`derived/wrapped/${name}`);
    expect({ ...found, writers: new Set(found.writers) }).toEqual({
      audits,
      logs,
      writers: new Set(writers),
      problems,
    });
  });

  it.each<[string, number, string, Record<string, number>?]>([
    ['aks/sysdig_event.json', 22, 'kube-apiserver-79599f95c7-qn557'],
    ['aks/mohamedsaif_sample-log-query-result.json', 4, 'kube-apiserver-fd55d867-jnrbg'],
    ['openshift/clo_otlp_audit_kube.json', 3, 'ip-10-0-74-191.ec2.internal'],
    ['openshift/clo_otlp_audit_openshift.json', 3, 'ip-10-0-62-189.ec2.internal/openshiftapi'],
    ['openshift/clo_viaq_audit_kubernetes.json', 1, 'ip-10-0-187-180.us-east-2.compute.internal'],
  ])('%s', async (name, audits, writer) => {
    expect(await read(name)).toEqual({ audits, logs: 0, writers: [writer], problems: {} });
  });

  it.each([
    'openshift/clo_otlp_audit_host.json',
    'openshift/clo_otlp_audit_ovn.json',
    'openshift/clo_otlp_container.json',
    'openshift/clo_otlp_journal.json',
    'openshift/clo_raw_auditd.log',
    'openshift/clo_raw_container_cri.log',
    'openshift/clo_viaq_audit_host.json',
    'openshift/clo_viaq_audit_ovn.json',
    'openshift/clo_viaq_container.json',
    'openshift/clo_viaq_journal.json',
    'container/fluent-bit_unescaping_json.log',
    'negative/insights_node_journal.log',
    'negative/kube-audit-rest.log',
    'derived/wrapped/must-gather/audit_logs/kube-apiserver.audit_logs_listing',
  ])('%s holds no record', async (name) => {
    const { audits, logs, problems } = await read(name);
    expect([audits, logs]).toEqual([0, 0]);
    expect(Object.keys(problems).filter((reason) => reason !== 'not-audit' && reason !== 'unknown-line')).toEqual([]);
  });
});
