/** A request's story as the machine-readable result that `trace --format json|ndjson` prints. */
import type { TraceStory } from '../analysis/trace-story.js';
import { formatTime } from '../model/time.js';
import { escapeJson } from '../report/json.js';
import { TRACE_SCHEMA_ID } from '../report/schema-id.js';
import type { TraceResult } from '../report/trace-schema.js';

export function toTraceResult({ auditID, requests, notes }: TraceStory): TraceResult {
  return {
    schema: TRACE_SCHEMA_ID,
    auditID,
    requests: requests.map(({ title, outcome, steps }) => ({
      title,
      outcome,
      steps: steps.map(({ timeUs, server, what, evidence: { input, line, offset, quote } }) => ({
        time: formatTime(timeUs),
        server,
        what,
        evidence: { input, line, offset, quote },
      })),
    })),
    notes: [...notes],
  };
}

export function storyJson(story: TraceStory): string {
  return `${escapeJson(JSON.stringify(toTraceResult(story), null, 2))}\n`;
}

/**
 * Lines told apart by `kind`: one `trace` (schema, Audit-ID), then each `request` (numbered from 1) with its `step`s,
 * which name its number, then `note`s.
 */
export function storyNdjson(story: TraceStory): string {
  const { schema, auditID, requests, notes } = toTraceResult(story);
  const lines = [
    { kind: 'trace', schema, auditID },
    ...requests.flatMap(({ title, outcome, steps }, at) => [
      { kind: 'request', request: at + 1, title, outcome },
      ...steps.map((step) => ({ kind: 'step', request: at + 1, ...step })),
    ]),
    ...notes.map((note) => ({ kind: 'note', note })),
  ];
  return lines.map((line) => `${escapeJson(JSON.stringify(line))}\n`).join('');
}
