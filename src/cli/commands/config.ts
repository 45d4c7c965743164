/** `skewscope config`: whether a configuration file is right, and what it may hold. */
import { Command } from 'commander';
import { escapeText } from '../../report/text/escape.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { StreamOutput } from '../output.js';
import type { Terminal } from '../terminal.js';

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
      'Reads a configuration file and all that it names: rules, secrets, certificates, folders. Nothing is sent or changed.',
    )
    .argument('<file>', 'configuration file (YAML)')
    .addHelpText(
      'after',
      `\nExit codes: ${EXIT.clean} it can be used (there may be warnings), ${EXIT.usage} it has mistakes`,
    )
    .action(async (file: string) => {
      context.exitCode = await check(file, terminal);
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

async function check(file: string, terminal: Terminal): Promise<ExitCode> {
  const { checkConfigFile } = await import('../../config/check/index.js');
  const { mistakes, warnings, summary } = await checkConfigFile(file, { env: terminal.env, nowMs: terminal.now() });
  for (const warning of warnings) terminal.stderr.write(`${escapeText(`warning: ${warning}`)}\n`);
  for (const mistake of mistakes) terminal.stderr.write(`${escapeText(mistake)}\n`);
  if (mistakes.length > 0) return EXIT.usage;
  const lines = [`ok: ${file}`, ...summary.map((line) => `  ${line}`)];
  await new StreamOutput(terminal.stdout).write(`${lines.map(escapeText).join('\n')}\n`);
  return EXIT.clean;
}
