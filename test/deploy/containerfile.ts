/** Reads a Containerfile as far as ours goes: stages of instructions, with continued lines joined. */

export interface Instruction {
  /** In upper case. */
  readonly name: string;
  readonly rest: string;
}

export interface Stage {
  readonly image: string;
  /** '' when the stage has no name. */
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

/** Throws on a line that is no instruction, and on one before the first FROM. */
export function parseContainerfile(text: string): Stage[] {
  const stages: { image: string; name: string; instructions: Instruction[] }[] = [];
  for (const line of text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')) {
    if (line.trim() === '') continue;
    const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === 'FROM') {
      const [, image = '', , stage = ''] = /^(\S+)( AS (\S+))?$/.exec(rest) ?? [];
      stages.push({ image, name: stage, instructions: [] });
    } else if (name === '' || stages.length === 0) throw new SyntaxError(`no instruction: ${line}`);
    else stages.at(-1)?.instructions.push({ name, rest });
  }
  return stages;
}

export interface Copy {
  /** Name of the stage that it copies from; '' for the project. */
  readonly from: string;
  readonly sources: readonly string[];
  readonly target: string;
}

export function copiesOf({ instructions }: Stage): Copy[] {
  return instructions
    .filter(({ name }) => name === 'COPY')
    .map(({ rest }) => {
      const words = rest.split(/\s+/);
      const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length) ?? '';
      const paths = words.filter((word) => !word.startsWith('--'));
      return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
    });
}
