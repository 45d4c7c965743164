/** Completion for fish: one `complete` line for each command and option. */
import { type CommandInfo, flatten, type OptionInfo } from './tree.js';

export function fishCompletion(program: CommandInfo): string {
  return `# fish completion for skewscope
function __skewscope_at
    # Whether the words so far, without options, begin with exactly these commands.
    set -l words (commandline -opc)[2..-1]
    set -l plain (string match -v -- '-*' $words)
    test (count $argv) -eq 0; and begin
        test (count $plain) -eq 0
        return
    end
    test "$plain[1..$(count $argv)]" = "$argv"
end
${flatten(program).flatMap(commandLines).join('\n')}
`;
}

function commandLines(command: CommandInfo): string[] {
  const base = `complete -c skewscope -n ${quote(`__skewscope_at ${command.path}`.trim())}`;
  const noFiles = command.files ? [] : [`${base} -f`];
  const children = command.commands.map(
    ({ name, description }) => `${base} -a ${quote(name)} -d ${quote(description)}`,
  );
  const choices = command.choices.length > 0 ? [`${base} -a ${quote(command.choices.join(' '))}`] : [];
  return [...noFiles, ...children, ...choices, ...command.options.map((option) => `${base} ${optionWords(option)}`)];
}

function optionWords(option: OptionInfo): string {
  const words: string[] = [];
  if (option.short !== undefined) words.push(`-s ${option.short.slice(1)}`);
  if (option.long !== undefined) words.push(`-l ${option.long.slice(2)}`);
  if (option.choices.length > 0) words.push(`-x -a ${quote(option.choices.join(' '))}`);
  else if (option.value) words.push(option.files ? '-r -F' : '-x');
  words.push(`-d ${quote(option.description)}`);
  return words.join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
