/** `skewscope analyze`: read everything, then say what was wrong. */
import { Command } from 'commander';
import type { Analysis } from '../../model/analysis.js';
import type { OutputBatch } from '../../outputs/index.js';
import {
  addInputOptions,
  addJudgeOptions,
  addOutputOptions,
  addSendOptions,
  addSpoolOption,
  type InputFlags,
  type JudgeFlags,
  type OutputFlags,
  readConfig,
  readRules,
  type SendFlags,
  timeWindow,
} from '../analysis-options.js';
import type { Context } from '../context.js';
import { openDelivery } from '../delivery.js';
import { EXIT, type ExitCode, exitCodeFor } from '../exit-codes.js';
import { openInputs } from '../inputs.js';
import { whyNothing } from '../nothing-judged.js';
import { Progress } from '../progress.js';
import { RequestStore } from '../request-store.js';
import { openOutput, writeResult } from '../result.js';
import { tell } from '../terminal.js';

type Flags = InputFlags & OutputFlags & JudgeFlags & SendFlags;

export function analyzeCommand(context: Context): Command {
  const command = new Command('analyze')
    .summary('read recorded logs and say what went wrong between the apiservers')
    .description(
      'Reads audit logs, process logs, leases, discovery documents and metrics of kube-apiservers, in any mixture, ' +
        'and says what the Mixed Version Proxy did, what is misconfigured, and what was harmed.',
    )
    .argument('<paths...>', 'files, folders, globs, or - for standard input');
  addOutputOptions(command);
  addJudgeOptions(command);
  addInputOptions(command, context.terminal);
  addSendOptions(command);
  addSpoolOption(command);
  return command
    .addHelpText('after', () => examples(context.terminal.name))
    .action(async (paths: string[], flags: Flags) => {
      context.exitCode = await analyzePaths(paths, flags, context);
    });
}

async function analyzePaths(paths: readonly string[], flags: Flags, { terminal, stages }: Context): Promise<ExitCode> {
  const window = timeWindow(flags);
  const config = await readConfig(flags);
  const rules = await readRules(config, flags);
  const { sources, servers, unreadable } = await openInputs(paths, flags, config, terminal);
  const output = await openOutput(flags, terminal);
  const delivery = await openDelivery(flags, config, terminal, false).catch(async (error: unknown) => {
    await output.discard();
    throw error;
  });
  const requests = new RequestStore();
  const progress = new Progress(terminal, flags.progress && terminal.stderr.isTTY === true);
  try {
    const analysis = await stages.analyze(sources, {
      rules,
      servers,
      ...window,
      signal: terminal.interrupted,
      onProgress: (state) => progress.update(state),
      ...(delivery.active ? { onRequests: requests.add } : {}),
    });
    progress.stop();
    const interrupted = terminal.interrupted.aborted;
    await writeResult(analysis, output, flags, terminal);
    await output.finish();
    delivery.push(wholeBatch(analysis, requests.take()));
    if (requests.dropped > 0) tell(terminal, tooMany(requests.dropped));
    const nothing = whyNothing(analysis);
    const undelivered = !(await delivery.finish()) || requests.dropped > 0;
    if (interrupted) tell(terminal, 'interrupted: the result covers what was read until then');
    else if (nothing !== undefined) tell(terminal, nothing);
    return exitCodeFor({
      analysis,
      failOn: flags.failOn ?? config.failOn ?? 'warning',
      interrupted,
      unreadable,
      undelivered,
    });
  } catch (error) {
    progress.stop();
    await output.discard();
    await delivery.finish();
    throw error;
  }
}

function tooMany(count: number): string {
  return `${count} proxied requests were not sent as spans: there are too many for one run; narrow it with --since and --until`;
}

/** Everything at once: all findings are new, and told as such to who has not heard of them. */
function wholeBatch(analysis: Analysis, requests: OutputBatch['requests']): OutputBatch {
  const changes = analysis.findings.map((finding) => ({ kind: 'opened' as const, finding }));
  return { changes, findings: analysis.findings, requests, analysis };
}

function examples(name: string): string {
  return `
Examples:
  ${name} analyze logs/                          all logs below a folder, live, rotated and gzipped
  kubectl logs kube-apiserver-cp1 | ${name} analyze - --server cp1=-
  ${name} analyze cp1.log cp2.log.gz --since 2h --fail-on critical
  ${name} analyze 'logs/**/audit*' --server cp1='*10.0.0.1*' --format json -o result.json

Exit codes: ${EXIT.clean} nothing at or above --fail-on, ${EXIT.findings} findings, ${EXIT.usage} wrong usage or configuration, or
the result cannot be written, ${EXIT.input} input unreadable or unusable, or none in the time asked for, ${EXIT.undelivered} an output did not take
everything, ${EXIT.interrupted} interrupted`;
}
