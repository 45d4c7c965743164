/** What a command knows of the process it runs in: streams, environment, clock, interruption. Tests give their own. */
import type { Writable } from 'node:stream';

export interface TerminalStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface Terminal {
  /** How the user calls the program: `skewscope`, or `kubectl skewscope` as a plugin. */
  readonly name: string;
  readonly stdout: TerminalStream;
  readonly stderr: TerminalStream;
  readonly stdinIsTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Aborted by the first Ctrl-C: finish, and print what there is. */
  readonly interrupted: AbortSignal;
  /** From now on SIGHUP calls the listener instead of interrupting; gives what ends that. */
  readonly onHangUp: (listener: () => void) => () => void;
  /** Ends the process as a second signal would: an exit waits for what hangs in the system, such as a dead disk. */
  readonly endNow?: () => void;
}

/** Tells the user something on stderr; one line for each line of text. */
export function tell(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${text.replace(/^(?!$)/gm, 'skewscope: ')}\n`);
}

export type ColorChoice = 'auto' | 'always' | 'never';

/** Colours on a stream: the flag first, then FORCE_COLOR and NO_COLOR, then whether it is a terminal. */
export function useColor(choice: ColorChoice, stream: TerminalStream, env: Terminal['env']): boolean {
  if (choice !== 'auto') return choice === 'always';
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return !/^(0|false)$/.test(env.FORCE_COLOR);
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** Columns of text for people: those of the terminal, 100 where there is none. */
export function widthOf(stream: TerminalStream): number {
  return stream.columns ?? 100;
}
