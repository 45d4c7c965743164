/** `skewscope outputs`: `test` says whether what is configured can be reached, `resend` sends what was turned down once more. */
import { Command } from 'commander';
import { refusedText, waitingText } from '../../outputs/delivery/delivery-news.js';
import type { Unreadable } from '../../outputs/output.js';
import type { ResendResult } from '../../outputs/resend.js';
import { escapeText } from '../../report/text/escape.js';
import { enumerate, plural } from '../../report/text/page.js';
import { addSendOptions, addSpoolOption, readConfig, type SendFlags } from '../analysis-options.js';
import type { Context } from '../context.js';
import { newMetrics, openedOutputs, outputsOf } from '../delivery.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { usageFailure } from '../failure.js';
import { StreamOutput } from '../output.js';

interface Flags extends SendFlags {
  readonly config?: string;
  readonly resolve?: boolean;
}

export function outputsCommand(context: Context): Command {
  const command = new Command('outputs')
    .summary('try out where findings are sent, and send again what was turned down')
    .description(
      'Works with the outputs of --config and of the flags: Alertmanager, webhooks, Slack, PagerDuty, NDJSON, Kafka, OTLP.',
    );
  const test = new Command('test')
    .summary('send one marked test alert, and span, to each output')
    .description(
      'Sends one marked test alert of severity info to each output, and one span to OTLP, and says what came back. ' +
        'Nothing is kept on disk: the configured spool is not used.',
    )
    .option('--config <file>', 'configuration file (YAML)')
    .option('--resolve', 'resolve the test alert as well, so that no incident stays open');
  addSendOptions(test);
  test
    .addHelpText('after', () => examples(context.terminal.name))
    .action(async (flags: Flags) => {
      context.exitCode = await testOutputs(flags, context);
    });
  return command.addCommand(test).addCommand(resendCommand(context));
}

function resendCommand(context: Context): Command {
  const resend = new Command('resend')
    .summary('send again what receivers have turned down')
    .description(
      'Takes what is kept in refused.ndjson of each output of the spool and sends it again: after a token, a path or a ' +
        'pipeline was mended. Of a finding the latest state alone is sent. What is not taken now is kept as before; ' +
        'lines that cannot be read are told and moved to unreadable.ndjson beside it.',
    )
    .option('--config <file>', 'configuration file (YAML)');
  addSendOptions(resend);
  addSpoolOption(resend);
  return resend
    .addHelpText('after', () => resendExamples(context.terminal.name))
    .action(async (flags: Flags) => {
      context.exitCode = await resendOutputs(flags, context);
    });
}

const WITHIN_MS = 10_000;

async function testOutputs(flags: Flags, { terminal }: Context): Promise<ExitCode> {
  const section = await outputsOf(flags, await readConfig(flags), terminal);
  if (section === undefined) {
    throw usageFailure(
      'there is no output to test; give one, as with --alertmanager-url, or --config FILE with outputs',
    );
  }
  const outputs = await openedOutputs(section, terminal, {
    continuous: false,
    trial: true,
    ...(section.otlp === undefined ? {} : { metrics: await newMetrics(terminal) }),
  });
  const [{ tryOutputs }, { systemClock }] = await Promise.all([
    import('../../outputs/trial.js'),
    import('../../outputs/index.js'),
  ]);
  const withinMs = section.deadline ?? WITHIN_MS;
  const results = await tryOutputs(outputs, { clock: systemClock, withinMs, resolve: flags.resolve === true });
  const stdout = new StreamOutput(terminal.stdout);
  for (const { name, ok, words } of results) {
    await stdout.write(`${escapeText(`${ok ? 'ok    ' : 'failed'} ${name}: ${words}`)}\n`);
  }
  return results.every(({ ok }) => ok) ? EXIT.clean : EXIT.findings;
}

async function resendOutputs(flags: Flags, { terminal }: Context): Promise<ExitCode> {
  const section = await outputsOf(flags, await readConfig(flags), terminal);
  if (section?.spool === undefined) {
    throw usageFailure(
      'what was turned down is kept in a spool; give its folder as with --spool DIR, and the outputs, or --config FILE with both',
    );
  }
  const outputs = await openedOutputs(section, terminal, { continuous: false });
  const [{ resendRefused }, { systemClock }] = await Promise.all([
    import('../../outputs/resend.js'),
    import('../../outputs/index.js'),
  ]);
  const results = await resendRefused(outputs, { clock: systemClock, withinMs: section.deadline ?? WITHIN_MS });
  const stdout = new StreamOutput(terminal.stdout);
  for (const result of results) await stdout.write(escapeText(`${result.name}: ${resentText(result)}`).concat('\n'));
  const left = results.some(
    ({ waiting, refused, unreadable }) => waiting.length + refused.length > 0 || unreadable !== undefined,
  );
  return left ? EXIT.undelivered : EXIT.clean;
}

function resentText(result: ResendResult): string {
  const { delivered, taken, superseded, unwanted, unreadable, waiting, refused } = result;
  const parts = [
    ...(delivered === 0 ? [] : [`${delivered} delivered`]),
    ...(superseded === 0 ? [] : [`${superseded} left out, for a later state was told`]),
    ...waiting.map((entry) => `not delivered: ${waitingText(entry)}`),
    ...refused.map((entry) => `not delivered: ${refusedText(entry)}`),
    ...(unwanted === 0 ? [] : [`${plural(unwanted, 'line')} of refused.ndjson left there: the signal is switched off`]),
    ...(unreadable === undefined ? [] : [unreadableText(unreadable)]),
  ];
  return parts.length === 0 && taken === 0 ? 'nothing was turned down' : parts.join('; ');
}

/** What is told once: the next run does not meet them again. */
function unreadableText({ count, lines, where }: Unreadable): string {
  const shown = lines.map(String);
  const numbers =
    count > shown.length ? `${shown.join(', ')} and ${count - shown.length} more` : enumerate(shown, count);
  const which = `${count === 1 ? 'line' : 'lines'} ${numbers} of refused.ndjson cannot be read`;
  return `${which}: moved to ${where}; mend there what should be sent and put it back, or delete it`;
}

function resendExamples(name: string): string {
  return `
Examples:
  ${name} outputs resend --config skewscope.yaml
  ${name} outputs resend --spool /var/lib/skewscope --webhook-url https://hooks.example/skew

Exit codes: ${EXIT.clean} nothing is left, ${EXIT.undelivered} something still is not taken, ${EXIT.usage} wrong usage or configuration`;
}

function examples(name: string): string {
  return `
Examples:
  ${name} outputs test --config skewscope.yaml
  ${name} outputs test --alertmanager-url http://alertmanager:9093 --resolve

Exit codes: ${EXIT.clean} every output took it, ${EXIT.findings} one did not, ${EXIT.usage} wrong usage or configuration`;
}
