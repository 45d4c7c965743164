/** `FLAG: --name="value"`, which an apiserver prints for each of its flags when it starts with -v=1 or more. */
import type { Flag } from '../../model/record.js';
import { unquote } from '../go-quote.js';

const SHAPE = /^FLAG: --([a-zA-Z0-9][a-zA-Z0-9._-]*)=("(?:[^"\\]|\\.)*")\s*$/;

/** The flag of a message or a bare line; undefined when it is none. `timeUs` is 0 where the line has no header. */
export function readFlag(message: string, timeUs: number, line: number, offset: number): Flag | undefined {
  if (!message.startsWith('FLAG: --')) return undefined;
  const match = SHAPE.exec(message);
  if (match === null) return undefined;
  return { type: 'flag', line, offset, timeUs, name: match[1] ?? '', value: unquote(match[2] ?? '""') };
}
