/** The tree of commands. */
import { Command } from 'commander';
import { analyzeCommand } from './commands/analyze.js';
import { completionCommand } from './commands/completion.js';
import { configCommand } from './commands/config.js';
import { outputsCommand } from './commands/outputs.js';
import { rulesCommand } from './commands/rules.js';
import { serveCommand } from './commands/serve.js';
import { traceCommand } from './commands/trace.js';
import { watchCommand } from './commands/watch.js';
import type { Context } from './context.js';
import { packageVersion } from './package-version.js';

/** `handle` is told of whatever ends parsing early: wrong usage, help, version. It must throw. */
export function createProgram(context: Context, handle: (command: Command, error: Error) => never): Command {
  const { terminal } = context;
  const program = new Command(terminal.name)
    .description('Reads what kube-apiservers write during an upgrade and says what they did to each other.')
    .version(packageVersion(), '-V, --version', 'print the version');
  const commands = [
    analyzeCommand(context),
    watchCommand(context),
    serveCommand(context),
    traceCommand(context),
    rulesCommand(context),
    outputsCommand(context),
    configCommand(context),
    completionCommand(context, program),
  ];
  for (const command of commands) program.addCommand(command);
  program.addHelpText('after', () => examples(terminal.name));
  for (const command of everyCommand(program)) {
    command
      .exitOverride((error) => handle(command, error))
      .configureOutput({
        writeOut: (text) => void terminal.stdout.write(text),
        writeErr: (text) => void terminal.stderr.write(text),
        // Errors are told once, in one line, by whoever handles them.
        outputError: () => {},
        getOutHelpWidth: () => terminal.stdout.columns ?? 100,
        getErrHelpWidth: () => terminal.stderr.columns ?? 100,
        getOutHasColors: () => false,
        getErrHasColors: () => false,
      })
      .helpOption('-h, --help', 'print this help');
    if (command.commands.length > 0) command.helpCommand('help [command]', 'print the help of a command');
  }
  return program;
}

/** A command and all below it. */
export function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function examples(name: string): string {
  return `
Examples:
  ${name} analyze logs/                     what went wrong, from recorded logs
  kubectl logs -f kube-apiserver-cp1 | ${name} watch
  ${name} watch -f /var/log/kubernetes/     the same, while it happens
  ${name} serve --config skewscope.yaml     from Kafka, for months
  ${name} rules explain peer-ca-untrusted   what a finding means and how it is found`;
}
