/** A request's story in the form that was asked for. */
import pc from 'picocolors';
import type { TracedRequest, TraceStory } from '../analysis/trace-story.js';
import { formatTime } from '../model/time.js';
import { escapeProse, escapeText } from '../report/text/escape.js';
import { cutEnd } from '../report/text/width.js';
import { type OutputFlags, textWidth } from './analysis-options.js';
import { resultColor } from './result.js';
import { storyJson, storyNdjson } from './story-result.js';
import type { Terminal } from './terminal.js';

export function renderStory(story: TraceStory, flags: OutputFlags, terminal: Terminal): string {
  if (flags.format === 'json') return storyJson(story);
  if (flags.format === 'ndjson') return storyNdjson(story);
  const paint = pc.createColors(resultColor(flags, terminal));
  const width = textWidth(flags, terminal);
  const { requests } = story;
  const several =
    requests.length > 1
      ? [`This Audit-ID stands for ${requests.length} different requests: clients may choose it.`, '']
      : [];
  return [
    paint.bold(escapeText(`Audit-ID ${story.auditID}`)),
    ...several,
    ...requests.flatMap((request) => [...requestLines(request, width, paint), '']),
    ...story.notes.map((note) => paint.dim(escapeProse(note))),
    '',
  ].join('\n');
}

function requestLines(request: TracedRequest, width: number, paint: ReturnType<typeof pc.createColors>): string[] {
  const nameWidth = Math.max(1, ...request.steps.map(({ server }) => escapeText(server ?? '?').length));
  const steps = request.steps.flatMap(({ timeUs, server, what, evidence }) => [
    `  ${formatTime(timeUs)}  ${escapeText(server ?? '?').padEnd(nameWidth)}  ${escapeProse(what)}`,
    paint.dim(cutEnd(`    ${escapeText(`${evidence.input}:${evidence.line}: ${evidence.quote}`)}`, width)),
  ]);
  return [paint.bold(escapeProse(request.title)), escapeProse(request.outcome), ...steps];
}
