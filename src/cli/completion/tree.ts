/** The commands and options of the program as plain data, for the scripts that complete them. */
import type { Command, Option } from 'commander';
import { ListOption } from '../analysis-options.js';

export interface OptionInfo {
  readonly short: string | undefined;
  readonly long: string | undefined;
  readonly description: string;
  /** Takes a value. */
  readonly value: boolean;
  /** The values it takes, where they are known. */
  readonly choices: readonly string[];
  /** The value is a path. */
  readonly files: boolean;
  readonly repeatable: boolean;
}

export interface CommandInfo {
  /** Names from the program to the command, as in `rules test` (without the program's own). */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionInfo[];
  readonly commands: readonly CommandInfo[];
  /** Values of the first argument, where they are known. */
  readonly choices: readonly string[];
  /** Takes paths. */
  readonly files: boolean;
}

/** `values`: what the first argument of a command can be, by the command's path, where the command itself does not know. */
export function describeCommands(
  program: Command,
  values: Readonly<Record<string, readonly string[]>> = {},
): CommandInfo {
  return describe(program, '', values);
}

/** A command and all below it. */
export function flatten(command: CommandInfo): CommandInfo[] {
  return [command, ...command.commands.flatMap(flatten)];
}

function describe(command: Command, path: string, values: Readonly<Record<string, readonly string[]>>): CommandInfo {
  const help = command.createHelp();
  const inner = help.visibleCommands(command).filter((child) => child.name() !== 'help');
  return {
    path,
    name: command.name(),
    description: command.summary() || command.description(),
    options: help.visibleOptions(command).map(describeOption),
    commands: inner.map((child) => describe(child, `${path} ${child.name()}`.trim(), values)),
    choices: values[path] ?? command.registeredArguments[0]?.argChoices ?? [],
    files: command.registeredArguments.some((argument) => argument.variadic || argument.name() === 'file'),
  };
}

function describeOption(option: Option): OptionInfo {
  return {
    short: option.short,
    long: option.long,
    description: option.description,
    value: option.required || option.optional,
    choices: option.argChoices ?? [],
    files: /<(?:file|dir)>/.test(option.flags),
    repeatable: option instanceof ListOption,
  };
}
