/** Completion for zsh: one function a command, in the words of _arguments. */
import { type CommandInfo, flatten, type OptionInfo } from './tree.js';

export function zshCompletion(program: CommandInfo): string {
  return `#compdef skewscope kubectl-skewscope
${flatten(program).map(commandFunction).join('\n')}
# Loaded by hand rather than from fpath: compinit comes first.
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _skewscope skewscope kubectl-skewscope
`;
}

function commandFunction(command: CommandInfo): string {
  const specs = command.options.flatMap(optionSpecs);
  if (command.commands.length === 0) {
    const rest = command.choices.length > 0 ? [`'1:value:(${command.choices.join(' ')})'`] : [];
    const files = command.files ? [`'*:file:_files'`] : [];
    return `${functionName(command.path)}() {\n  _arguments -s ${[...specs, ...rest, ...files].join(' \\\n    ')}\n}`;
  }
  const described = command.commands.map((child) => quote(`${child.name}:${escapeColon(child.description)}`));
  const cases = command.commands.map((child) => `        ${child.name}) ${functionName(child.path)} ;;`);
  return `${functionName(command.path)}() {
  local state line
  typeset -A opt_args
  _arguments -C ${[...specs, `'1: :->command'`, `'*:: :->rest'`].join(' \\\n    ')}
  case $state in
    command)
      local -a commands=(${described.join(' ')})
      _describe command commands ;;
    rest)
      case $line[1] in
${cases.join('\n')}
      esac ;;
  esac
}`;
}

function optionSpecs(option: OptionInfo): string[] {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const action =
    option.choices.length > 0
      ? `:value:(${option.choices.join(' ')})`
      : option.files
        ? ':file:_files'
        : option.value
          ? ':value: '
          : '';
  const description = option.description.replace(/[[\]\\:]/g, String.raw`\$&`);
  const others = option.repeatable ? '*' : names.length > 1 ? `(${names.join(' ')})` : '';
  return names.map((name) => quote(`${others}${name}[${description}]${action}`));
}

function functionName(path: string): string {
  return ['_skewscope', ...path.split(' ').filter((part) => part !== '')].join('_');
}

function escapeColon(text: string): string {
  return text.replaceAll(':', String.raw`\:`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
