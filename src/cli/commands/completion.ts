/** `skewscope completion`: scripts that complete commands and options in a shell. */
import { Argument, Command } from 'commander';
import { NO_CONFIG } from '../../config/config.js';
import { readRules } from '../analysis-options.js';
import type { Context } from '../context.js';
import { StreamOutput } from '../output.js';

const SHELLS = {
  bash: async () => (await import('../completion/bash.js')).bashCompletion,
  zsh: async () => (await import('../completion/zsh.js')).zshCompletion,
  fish: async () => (await import('../completion/fish.js')).fishCompletion,
};

/** `program` is read when the command runs, with all its commands. */
export function completionCommand(context: Context, program: Command): Command {
  return new Command('completion')
    .summary('print a script that completes commands and options')
    .description('Prints a script for a shell; load it as the examples show.')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: keyof typeof SHELLS) => {
      const { listRules } = await import('../../rules/list-rules.js');
      const { describeCommands } = await import('../completion/tree.js');
      const ids = listRules(await readRules(NO_CONFIG, {})).map(({ id }) => id);
      const write = await SHELLS[shell]();
      const script = write(describeCommands(program, { 'rules explain': ids }));
      await new StreamOutput(context.terminal.stdout).write(script);
    });
}

const EXAMPLES = `
Examples:
  source <(skewscope completion bash)                                           in ~/.bashrc
  source <(skewscope completion zsh)                                            in ~/.zshrc
  skewscope completion fish > ~/.config/fish/completions/skewscope.fish`;
