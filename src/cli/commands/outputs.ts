/** `skewscope outputs test`: whether what is configured can be reached, before the night when it is needed. */
import { Command } from 'commander';
import { escapeText } from '../../report/text/escape.js';
import { addSendOptions, readConfig, type SendFlags } from '../analysis-options.js';
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
    .summary('try out where findings are sent')
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
  return command.addCommand(test);
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

function examples(name: string): string {
  return `
Examples:
  ${name} outputs test --config skewscope.yaml
  ${name} outputs test --alertmanager-url http://alertmanager:9093 --resolve

Exit codes: ${EXIT.clean} every output took it, ${EXIT.findings} one did not, ${EXIT.usage} wrong usage or configuration`;
}
