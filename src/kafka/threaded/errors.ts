/** Errors on their way between threads, which would forget what they are. */
import { KafkaFailure } from '../port.js';

export interface PlainError {
  readonly message: string;
  readonly name: string;
  readonly stack: string | undefined;
  /** Of a KafkaFailure. */
  readonly retry: boolean | undefined;
}

export function toPlain(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error), name: 'Error', stack: undefined, retry: undefined };
  const { message, name, stack } = error;
  return { message, name, stack, retry: error instanceof KafkaFailure ? error.retry : undefined };
}

/** A KafkaFailure where it was one, else an Error. */
export function fromPlain({ message, name, stack, retry }: PlainError): Error {
  const error: Error =
    retry === undefined ? Object.assign(new Error(message), { name }) : new KafkaFailure(message, retry);
  // Where it happened is in the other thread.
  if (stack !== undefined) error.stack = stack;
  return error;
}

export function isPlainError(value: object | number): value is PlainError {
  return typeof value === 'object' && 'retry' in value;
}
