/** A failure that ends a command: what to tell the user, and the exit code. */
import { EXIT, type ExitCode } from './exit-codes.js';

export class Failure extends Error {
  override readonly name = 'Failure';

  constructor(
    message: string,
    readonly code: ExitCode,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Wrong usage or configuration. */
export function usageFailure(message: string, cause?: unknown): Failure {
  return new Failure(message, EXIT.usage, cause === undefined ? {} : { cause });
}

/** Input that could not be read or used. */
export function inputFailure(message: string): Failure {
  return new Failure(message, EXIT.input);
}
