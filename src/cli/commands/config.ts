/** `skewscope config`: whether a configuration file is right, and what it may hold. */
import { Command } from 'commander';
import type { KafkaSettings } from '../../kafka/settings.js';
import { escapeText } from '../../report/text/escape.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { StreamOutput } from '../output.js';
import type { Terminal } from '../terminal.js';

interface CheckFlags {
  readonly connect?: boolean;
}

export function configCommand(context: Context): Command {
  return new Command('config')
    .summary('check the configuration file')
    .description('The configuration file: whether it is right, and what it may hold.')
    .addCommand(checkCommand(context))
    .addCommand(schemaCommand(context));
}

function checkCommand(context: Context): Command {
  const { terminal } = context;
  return new Command('check')
    .summary('read a configuration file and all that it names')
    .description(
      'Reads a configuration file and all that it names: rules, secrets, certificates, folders. Nothing is changed, and nothing is sent to outputs.',
    )
    .argument('<file>', 'configuration file (YAML)')
    .option('--connect', 'also ask Kafka for the topics that the file names')
    .addHelpText(
      'after',
      `
Exit codes: ${EXIT.clean} it can be used (there may be warnings), ${EXIT.usage} it has mistakes, ${EXIT.input} Kafka cannot be reached`,
    )
    .action(async (file: string, flags: CheckFlags) => {
      context.exitCode = await check(file, flags, terminal);
    });
}

function schemaCommand({ terminal }: Context): Command {
  return new Command('schema')
    .description('Prints the JSON Schema of the configuration file, for editors.')
    .action(async () => {
      const { configJsonSchema } = await import('../../config/json-schema.js');
      await new StreamOutput(terminal.stdout).write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
}

async function check(file: string, { connect }: CheckFlags, terminal: Terminal): Promise<ExitCode> {
  const { checkConfigFile } = await import('../../config/check/index.js');
  const { mistakes, warnings, summary, unreachable } = await checkConfigFile(file, {
    env: terminal.env,
    nowMs: terminal.now(),
    ...(connect === true ? { listTopics } : {}),
  });
  const failures = unreachable === '' ? mistakes : [...mistakes, unreachable];
  for (const line of [...warnings.map((warning) => `warning: ${warning}`), ...failures]) {
    terminal.stderr.write(`${escapeText(line)}\n`);
  }
  if (mistakes.length > 0) return EXIT.usage;
  if (unreachable !== '') return EXIT.input;
  const lines = [`ok: ${file}`, ...summary.map((line) => `  ${line}`)];
  await new StreamOutput(terminal.stdout).write(`${lines.map(escapeText).join('\n')}\n`);
  return EXIT.clean;
}

async function listTopics(settings: KafkaSettings): Promise<ReadonlyMap<string, number>> {
  const { listTopics } = await import('../../kafka/kafkajs/list-topics.js');
  return listTopics(settings);
}
