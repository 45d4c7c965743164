/** Completion for bash: a function with one case a command. */
import { type CommandInfo, flatten, type OptionInfo } from './tree.js';

export function bashCompletion(program: CommandInfo): string {
  const commands = flatten(program);
  return `# bash completion for skewscope
_skewscope() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" candidate at
  for ((at = 1; at < COMP_CWORD; at++)); do
    candidate="\${path:+$path }\${COMP_WORDS[at]}"
    case "$candidate" in
      ${commands
        .map(({ path }) => (path === '' ? '' : quote(path)))
        .filter(Boolean)
        .join(' | ')}) path="$candidate" ;;
    esac
  done
  COMPREPLY=()
  case "$path $previous" in
${commands.flatMap(valueCases).join('\n')}
  esac
  case "$path" in
${commands.map(commandCase).join('\n')}
  esac
}
complete -o filenames -o bashdefault -F _skewscope skewscope kubectl-skewscope
`;
}

/** What stands after an option that takes a value. */
function valueCases(command: CommandInfo): string[] {
  return command.options
    .filter(({ value }) => value)
    .map((option) => {
      const patterns = flags(option).map((flag) => quote(`${command.path} ${flag}`));
      const words = option.files ? '-f' : `-W ${quote(option.choices.join(' '))}`;
      return `    ${patterns.join(' | ')}) COMPREPLY=($(compgen ${words} -- "$word")); return ;;`;
    });
}

function commandCase(command: CommandInfo): string {
  const words = [...command.commands.map(({ name }) => name), ...command.choices];
  const options = command.options.flatMap(flags);
  const plain = command.files ? `COMPREPLY=($(compgen -f -- "$word"))` : compgen(words);
  return `    ${quote(command.path)})
      if [[ "$word" == -* ]]; then ${compgen(options)}; else ${plain}; fi ;;`;
}

function compgen(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W ${quote(words.join(' '))} -- "$word"))`;
}

function flags({ short, long }: OptionInfo): string[] {
  return [short, long].filter((flag) => flag !== undefined);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
