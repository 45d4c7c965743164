/** `skewscope watch`: findings while the records arrive. */
import { setMaxListeners } from 'node:events';
import { Command, Option } from 'commander';
import type { FindingChange } from '../../findings/index.js';
import type { Analysis } from '../../model/analysis.js';
import { stdinSource } from '../../sources/index.js';
import {
  addInputOptions,
  addJudgeOptions,
  addMetricsOption,
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
import { type ExitCode, exitCodeFor } from '../exit-codes.js';
import { openInputs } from '../inputs.js';
import { whyNothing } from '../nothing-judged.js';
import { StreamOutput } from '../output.js';
import { RequestStore } from '../request-store.js';
import { openOutput, writeResult } from '../result.js';
import { type Terminal, tell } from '../terminal.js';

interface Flags extends InputFlags, OutputFlags, JudgeFlags, SendFlags {
  readonly follow?: boolean;
  readonly fromEnd?: boolean;
}

export function watchCommand(context: Context): Command {
  const command = new Command('watch')
    .summary('the same on a live stream: findings while they happen')
    .description(
      'Reads like analyze and tells each finding as soon as the records prove it: redrawn in place on a terminal, ' +
        'one line each when piped. At the end of the input, or with Ctrl-C, the summary follows.',
    )
    .argument('[paths...]', 'files, folders, globs; standard input unless given');
  command
    .optionsGroup('What is followed:')
    .option('-f, --follow', 'go on at the end of files as they grow, over rotation and truncation')
    .addOption(
      new Option('--from-end', 'follow from the end of files instead of reading them first').implies({ follow: true }),
    );
  addOutputOptions(command);
  addJudgeOptions(command);
  addInputOptions(command, context.terminal);
  addSendOptions(command);
  addSpoolOption(command);
  addMetricsOption(command);
  return command
    .addHelpText('after', () => examples(context.terminal.name))
    .action(async (paths: string[], flags: Flags) => {
      context.exitCode = await watchPaths(paths.length === 0 ? ['-'] : paths, flags, context);
    });
}

async function watchPaths(paths: readonly string[], flags: Flags, { terminal, stages }: Context): Promise<ExitCode> {
  const window = timeWindow(flags);
  const config = await readConfig(flags);
  const rules = await readRules(config, flags);
  const nobodyReads = new AbortController();
  const signal = AbortSignal.any([terminal.interrupted, nobodyReads.signal]);
  // Every followed file listens; there may be many.
  setMaxListeners(0, signal);
  const { sources, servers, unreadable } = await openInputs(paths, flags, config, terminal, {
    stdin: () => stdinSource({ live: true }),
    ...(flags.follow === true ? { follow: followOptions(flags, signal, terminal) } : {}),
  });
  const { openTicker } = await import('../ticker.js');
  const live = new StreamOutput(terminal.stdout, () => nobodyReads.abort());
  const output = flags.output === undefined ? live : await openOutput(flags, terminal);
  const delivery = await openDelivery(flags, config, terminal, true).catch(async (error: unknown) => {
    await output.discard();
    throw error;
  });
  const requests = new RequestStore();
  const ticker = openTicker(live, flags, terminal, sources.length);
  try {
    const analysis = await stages.watch(sources, {
      rules,
      servers,
      ...window,
      signal,
      onProgress: ({ bytes }) => ticker.progress(bytes),
      ...(delivery.active ? { onRequests: requests.add } : {}),
      onUpdate: (current: Analysis, changes: readonly FindingChange[]) => {
        ticker.update(current, changes);
        delivery.push({ changes, findings: current.findings, requests: requests.take(), analysis: current });
      },
    });
    await ticker.close();
    await writeResult(analysis, output, flags, terminal);
    await output.finish();
    const undelivered = !(await delivery.finish());
    const nothing = whyNothing(analysis);
    if (nothing !== undefined) tell(terminal, nothing);
    const interrupted = terminal.interrupted.aborted;
    return exitCodeFor({
      analysis,
      failOn: flags.failOn ?? config.failOn ?? 'warning',
      interrupted,
      unreadable,
      undelivered,
    });
  } catch (error) {
    await ticker.close();
    await output.discard();
    await delivery.finish();
    throw error;
  }
}

function followOptions(flags: Flags, signal: AbortSignal, terminal: Terminal) {
  return { signal, fromEnd: flags.fromEnd ?? false, onProblem: (message: string) => tell(terminal, message) };
}

function examples(name: string): string {
  return `
Examples:
  kubectl logs -f -n kube-system kube-apiserver-cp1 | ${name} watch --server cp1=-
  ${name} watch -f /var/log/kubernetes/audit/audit.log
  ${name} watch -f cp1.log cp2.log --format ndjson | jq -c 'select(.kind == "change")'
  ${name} watch -f /var/log/kubernetes/audit/audit.log --metrics-listen 9464`;
}
