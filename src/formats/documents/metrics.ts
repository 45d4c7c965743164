/** Prometheus text exposition, as `kubectl get --raw /metrics` of one apiserver gives it. */
import type { MetricSample } from '../../model/record.js';

const FAMILIES = new Set([
  'apiserver_rerouted_request_total',
  'apiserver_peer_proxy_errors_total',
  'apiserver_peer_discovery_sync_errors_total',
  'kubernetes_build_info',
  'kubernetes_feature_enabled',
]);
const PREFIX = 'aggregator_discovery_';
const COMMENT = /^# (?:HELP|TYPE|EOF|UNIT)\b/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(\{.*\})?[ \t]+([-+0-9.eE]+|[+-]?Inf|NaN)(?:[ \t]+-?\d+)?\s*$/;
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*,?/y;

/** What a text line is in an exposition: a comment, a sample, or nothing of the kind. */
export type MetricLine = 'comment' | MetricSample | 'other-family' | undefined;

/** `inExposition`: comment lines were seen before, so a bare `name value` may be taken for a sample. */
export function readMetricLine(text: string, inExposition: boolean, line: number, offset: number): MetricLine {
  if (COMMENT.test(text)) return 'comment';
  if (text.length > 16_384) return undefined;
  const match = SAMPLE.exec(text);
  const name = match?.[1];
  if (match === null || name === undefined) return undefined;
  const wanted = FAMILIES.has(name) || name.startsWith(PREFIX);
  if (!wanted) return inExposition || match[2] !== undefined ? 'other-family' : undefined;
  const labels = readLabels(match[2]);
  if (labels === undefined) return undefined;
  return { type: 'metric', line, offset, name, labels, value: numberOf(match[3] ?? '') };
}

function readLabels(block: string | undefined): Map<string, string> | undefined {
  const labels = new Map<string, string>();
  if (block === undefined) return labels;
  const inner = block.slice(1, -1);
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inner.length) {
    const match = LABEL.exec(inner);
    if (match === null) return undefined;
    labels.set(match[1] ?? '', unescapeLabel(match[2] ?? ''));
  }
  return labels;
}

function unescapeLabel(raw: string): string {
  return raw.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
}

function numberOf(text: string): number {
  if (text === 'NaN') return Number.NaN;
  if (text.endsWith('Inf')) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return Number(text);
}
