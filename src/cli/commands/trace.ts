/** `skewscope trace`: one request's whole story over all servers. */
import { Command } from 'commander';
import { plural } from '../../report/text/page.js';
import {
  addInputOptions,
  addOutputOptions,
  type InputFlags,
  type OutputFlags,
  readConfig,
  timeWindow,
} from '../analysis-options.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { inputFailure } from '../failure.js';
import { openInputs } from '../inputs.js';
import { Progress } from '../progress.js';
import { openOutput } from '../result.js';
import { tell } from '../terminal.js';

type Flags = InputFlags & OutputFlags;

export function traceCommand(context: Context): Command {
  const command = new Command('trace')
    .summary("tell one request's whole story over all servers")
    .description(
      'Shows what every server recorded of one request, in the order of time: audit events and process-log lines. ' +
        'The Audit-ID stands in audit events (auditID), in answers (header Audit-Id) and in process logs (audit-ID).',
    )
    .argument('<audit-id>', 'the Audit-ID of the request')
    .argument('<paths...>', 'files, folders, globs, or - for standard input');
  addOutputOptions(command);
  addInputOptions(command, context.terminal);
  return command
    .addHelpText(
      'after',
      () =>
        `\nExample:\n  ${context.terminal.name} trace 0f3c2a4e-8b1d-4c6e-9a57-2d1be0c7f5a9 logs/\n\n` +
        `Exit codes: ${EXIT.clean} told, ${EXIT.usage} wrong usage or the result cannot be written, ${EXIT.input} no record of this Audit-ID or an input\n` +
        `that cannot be read, ${EXIT.interrupted} interrupted`,
    )
    .action(async (auditID: string, paths: string[], flags: Flags) => {
      context.exitCode = await tracePaths(auditID, paths, flags, context);
    });
}

async function tracePaths(
  auditID: string,
  paths: readonly string[],
  flags: Flags,
  context: Context,
): Promise<ExitCode> {
  const { terminal, stages } = context;
  const window = timeWindow(flags);
  const config = await readConfig(flags);
  const { sources, servers, unreadable } = await openInputs(paths, flags, config, terminal);
  const output = await openOutput(flags, terminal);
  const progress = new Progress(terminal, flags.progress && terminal.stderr.isTTY === true);
  try {
    const story = await stages.traceRequest(sources, auditID, {
      servers,
      ...window,
      signal: terminal.interrupted,
      onProgress: (state) => progress.update(state),
    });
    progress.stop();
    const { renderStory } = await import('../story-text.js');
    const found = story.requests.length > 0;
    if (!found && !terminal.interrupted.aborted) throw inputFailure(notFound(auditID, sources.length));
    await output.write(renderStory(story, flags, terminal));
    await output.finish();
    if (!terminal.interrupted.aborted) return unreadable ? EXIT.input : EXIT.clean;
    tell(terminal, 'interrupted: the story covers what was read until then');
    return EXIT.interrupted;
  } catch (error) {
    progress.stop();
    await output.discard();
    throw error;
  }
}

function notFound(auditID: string, inputs: number): string {
  return `no record of Audit-ID ${auditID} in ${plural(inputs, 'input')}; give the logs of all servers, of the time of the request`;
}
