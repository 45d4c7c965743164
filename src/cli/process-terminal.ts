/** The Terminal of the real process. */
import { basename } from 'node:path';
import { EXIT } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** The first signal asks to finish; the second, with no handler left, ends the process at once. */
export function processTerminal(): Terminal {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
  const hangUp = () => interruption.abort();
  process.once('SIGHUP', hangUp);
  process.on('uncaughtException', (error) => {
    process.stderr.write(`skewscope: internal error: ${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(EXIT.internal);
  });
  // Messages that nobody reads any more are no failure of the run.
  process.stderr.on('error', () => {});
  return {
    name: programName(process.argv[1] ?? ''),
    stdout: process.stdout,
    stderr: process.stderr,
    stdinIsTTY: process.stdin.isTTY === true,
    env: process.env,
    now: Date.now,
    interrupted: interruption.signal,
    onHangUp(listener) {
      process.off('SIGHUP', hangUp).on('SIGHUP', listener);
      return () => process.off('SIGHUP', listener).once('SIGHUP', hangUp);
    },
    endNow() {
      process.removeAllListeners('SIGTERM');
      process.kill(process.pid, 'SIGTERM');
    },
  };
}

function programName(script: string): string {
  return /^kubectl[-_]skewscope/.test(basename(script)) ? 'kubectl skewscope' : 'skewscope';
}
