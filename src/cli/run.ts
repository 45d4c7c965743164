/** One run of the program: parse, do, and give the exit code. Whatever goes wrong is told in words on stderr. */
import { type Command, CommanderError } from 'commander';
import { escapeText } from '../report/text/escape.js';
import type { Context } from './context.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { Failure, usageFailure } from './failure.js';
import { createProgram } from './program.js';
import type { Stages } from './stages.js';
import { type Terminal, tell } from './terminal.js';

/** `args` without node and script. Never throws. */
export async function runCli(args: readonly string[], terminal: Terminal, stages: Stages): Promise<ExitCode> {
  const context: Context = { terminal, stages, exitCode: EXIT.clean };
  try {
    const program = createProgram(context, explainUsage);
    await program.parseAsync(asOption(args, program), { from: 'user' });
    return context.exitCode;
  } catch (error) {
    return tellFailure(error, terminal);
  }
}

/**
 * `help rules test` as `rules test --help`: the help command knows commands of the first level alone, and ends with the
 * exit code that the process has by then. Of a command that does not exist the name is left, to be told as such.
 */
function asOption(args: readonly string[], { commands }: Command): readonly string[] {
  const [first, ...path] = args;
  if (first !== 'help' || path.length === 0) return args;
  return commands.some((command) => command.name() === path[0]) ? [...path, '--help'] : path;
}

function tellFailure(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.clean;
  if (error instanceof Failure) {
    for (const line of error.message.split('\n')) tell(terminal, escapeText(line));
    return error.code;
  }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  tell(
    terminal,
    `internal error, please report it with the lines below\n${details.split('\n').map(escapeText).join('\n')}`,
  );
  return EXIT.internal;
}

/** Commander's messages as one line that ends with where to read on. */
function explainUsage(command: Command, error: Error): never {
  if (!(error instanceof CommanderError) || error.exitCode === 0) throw error;
  const path = fullName(command);
  const help = `see ${path} --help`;
  if (error.code === 'commander.help') throw usageFailure(`say what to do: ${namesOf(command)}; ${help}`, error);
  const words = error.message
    .replace(/^error: /, '')
    .replace(/\n?\(Did you mean (one of )?(.+?)\?\)/s, '; did you mean $2?')
    .replaceAll('\n', ' ');
  const hint = error.code === 'commander.missingArgument' && /paths/.test(words) ? NO_PATHS : '';
  throw usageFailure(`${words}${hint}${/[.?]$/.test(words) ? ` S${help.slice(1)}` : `; ${help}`}`, error);
}

const NO_PATHS = '; give files, folders, or - for standard input';

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

function namesOf(command: Command): string {
  return command.commands.map((inner) => inner.name()).join(', ');
}
