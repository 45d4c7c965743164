/** What every command is given, and where it leaves the exit code. */
import type { ExitCode } from './exit-codes.js';
import type { Stages } from './stages.js';
import type { Terminal } from './terminal.js';

export interface Context {
  readonly terminal: Terminal;
  readonly stages: Stages;
  exitCode: ExitCode;
}
