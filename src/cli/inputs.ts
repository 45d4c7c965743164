/** From the paths of a command to its sources, telling the user what is left out. */
import type { Config, ServerGlob } from '../config/index.js';
import { escapeText } from '../report/text/escape.js';
import { assignSources, type ExpandOptions, expandPaths, type PathNote, type Source } from '../sources/index.js';
import { inputFailure, usageFailure } from './failure.js';
import { type Terminal, tell } from './terminal.js';

export interface Inputs {
  readonly sources: readonly Source[];
  readonly servers: readonly ServerGlob[];
  /** Something that the user named could not be read; it was told. */
  readonly unreadable: boolean;
}

interface Flags {
  readonly server?: readonly ServerGlob[];
  readonly cluster?: string;
}

/** Lists of this many are told one by one. */
const MOST_NOTES = 5;

/** Throws Failure when nothing is left to read, or when two servers claim one input. */
export async function openInputs(
  paths: readonly string[],
  flags: Flags,
  config: Config,
  terminal: Terminal,
  options: ExpandOptions = {},
): Promise<Inputs> {
  const { sources, problems, skipped } = await expandPaths(paths, options);
  for (const { message } of problems) tell(terminal, escapeText(message));
  tellSkipped(skipped, terminal);
  if (sources.length === 0) throw inputFailure('nothing to read: none of the inputs can be used');
  if (paths.includes('-') && terminal.stdinIsTTY) tell(terminal, 'reading from the terminal; Ctrl-D ends the input');

  const servers = [...config.servers, ...(flags.server ?? [])];
  const assigned = assignSources(sources, servers, flags.cluster ?? config.cluster);
  const [contested] = assigned.contested;
  if (contested !== undefined) {
    const names = contested.names.join(' and ');
    throw usageFailure(escapeText(`${contested.input} is given to ${names}; narrow the globs so that one is left`));
  }
  for (const { name, glob } of assigned.unused) {
    tell(
      terminal,
      escapeText(`no input matches ${name}=${glob}; it is matched against the path as given and the file name`),
    );
  }
  const told = new Set<string>();
  const tellOnce = (message: string) => {
    if (!told.has(message)) tell(terminal, escapeText(message));
    told.add(message);
  };
  return {
    // The analysis goes on with the other inputs.
    sources: assigned.sources.map((source) => ({ ...source, onFailure: ({ message }) => tellOnce(message) })),
    servers,
    unreadable: problems.length > 0,
  };
}

function tellSkipped(skipped: readonly PathNote[], terminal: Terminal): void {
  for (const { message } of skipped.slice(0, MOST_NOTES)) tell(terminal, `left out ${escapeText(message)}`);
  const more = skipped.length - MOST_NOTES;
  if (more > 0) tell(terminal, `left out ${more} more files found in folders`);
}
