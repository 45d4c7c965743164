/** What the user says about inputs: which server wrote them, and which cluster they belong to. */
import { compileGlob, globNamesInput } from './glob.js';
import type { Source } from './source.js';

export interface Assignment {
  /** Server name. */
  readonly name: string;
  /** Over the path as given, or the file name alone. */
  readonly glob: string;
}

export interface Assigned {
  readonly sources: Source[];
  /** Assignments that name no input. */
  readonly unused: Assignment[];
  /** Inputs that two servers claim; the first assignment holds. */
  readonly contested: { readonly input: string; readonly names: readonly string[] }[];
}

/** Puts server and cluster names on the sources. Throws RangeError on a glob whose braces explode. */
export function assignSources(
  sources: readonly Source[],
  assignments: readonly Assignment[],
  cluster?: string,
): Assigned {
  const compiled = assignments.map((assignment) => ({ assignment, glob: compileGlob(assignment.glob) }));
  const used = new Set<Assignment>();
  const contested: { input: string; names: string[] }[] = [];
  const assigned = sources.map((source): Source => {
    const matching = compiled.filter(({ glob }) => globNamesInput(glob, source.input.name));
    for (const { assignment } of matching) used.add(assignment);
    const names = [...new Set(matching.map(({ assignment }) => assignment.name))];
    if (names.length > 1) contested.push({ input: source.input.name, names });
    const server = names[0];
    const input = {
      ...source.input,
      ...(server === undefined ? {} : { server }),
      ...(cluster === undefined ? {} : { cluster }),
    };
    return { ...source, input, open: () => source.open() };
  });
  return { sources: assigned, unused: assignments.filter((assignment) => !used.has(assignment)), contested };
}
