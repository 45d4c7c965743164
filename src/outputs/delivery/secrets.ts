/** Secrets come from the environment or from files, never from the configuration or the command line themselves. */
import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { explainSystemError } from '../../sources/source.js';
import { OutputError } from '../output.js';

export interface SecretSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder that relative files are in. */
  readonly folder: string;
}

const REFERENCE = /^from(Env|File):(.+)$/s;
const MAX_BYTES = 64 * 1024;

/** What `fromEnv:NAME` or `fromFile:PATH` leads to, without the line end of a file; other text is itself. Throws OutputError. */
export function resolveText(text: string, source: SecretSource): string {
  const [, kind, name] = REFERENCE.exec(text) ?? [];
  if (name === undefined) return text;
  return kind === 'Env' ? fromEnv(name, source) : fromFile(name, source);
}

function fromEnv(name: string, { env }: SecretSource): string {
  const value = env[name];
  if (value === undefined || value === '') {
    throw new OutputError(
      `the environment variable ${name} is ${value === '' ? 'empty' : 'not set'}; it is named by fromEnv:${name}`,
    );
  }
  return value;
}

function fromFile(name: string, source: SecretSource): string {
  const path = isAbsolute(name) ? name : join(source.folder, name);
  const value = readBounded(path).replace(/\r?\n$/, '');
  if (value === '') throw new OutputError(`${path}: empty; it is named by fromFile:${name}`);
  return value;
}

/** Text of a small file, as of a certificate. Throws OutputError. */
export function readBounded(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new OutputError(explainSystemError(path, error), { cause: error });
  }
  if (text.length > MAX_BYTES)
    throw new OutputError(`${path}: larger than ${MAX_BYTES / 1024} KiB; is this the right file?`);
  return text;
}
