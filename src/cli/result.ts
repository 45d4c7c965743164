/** Prints an analysis in the form that was asked for. */
import type { Analysis } from '../model/analysis.js';
import { type OutputFlags, textWidth } from './analysis-options.js';
import { type Output, openOutputFile, StreamOutput } from './output.js';
import { type Terminal, useColor } from './terminal.js';

/** Where the result goes. `onClosed`: the reader of standard output has gone away. */
export async function openOutput(flags: OutputFlags, terminal: Terminal, onClosed?: () => void): Promise<Output> {
  return flags.output === undefined || flags.output === '-'
    ? new StreamOutput(terminal.stdout, onClosed)
    : openOutputFile(flags.output);
}

export async function writeResult(analysis: Analysis, output: Output, flags: OutputFlags, terminal: Terminal) {
  // Each form by itself: what the others need would double the time of a short run.
  if (flags.format === 'json') {
    const { renderJson } = await import('../report/json.js');
    await output.write(renderJson(analysis));
  } else if (flags.format === 'ndjson') {
    const { ndjsonStream } = await import('../report/ndjson.js');
    await writeStream(ndjsonStream(analysis), output);
  } else {
    const { renderText } = await import('../report/text/index.js');
    const color = resultColor(flags, terminal);
    await output.write(renderText(analysis, { color, width: textWidth(flags, terminal) }));
  }
}

/** A file gets colours only when they are asked for. */
export function resultColor(flags: OutputFlags, terminal: Terminal): boolean {
  const toFile = flags.output !== undefined && flags.output !== '-';
  return toFile ? flags.color === 'always' : useColor(flags.color, terminal.stdout, terminal.env);
}

/** Small lines together: a write a line costs more than making it. */
const BATCH = 64 * 1024;

async function writeStream(lines: AsyncIterable<unknown>, output: Output): Promise<void> {
  let batch = '';
  for await (const line of lines) {
    batch += String(line);
    if (batch.length < BATCH) continue;
    await output.write(batch);
    batch = '';
  }
  await output.write(batch);
}
