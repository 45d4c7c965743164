/** Parameters of an address: those that are known, each with what it may hold. */
import { type Answer, errorAnswer } from '../../http/answer.js';

/** Name → what it may hold; undefined: any text. */
export type Known = Readonly<Record<string, readonly string[] | undefined>>;

/** Values by name; a parameter that is given twice asks for either. Gives the answer to a query that is not understood. */
export function readQuery(query: string, known: Known): ReadonlyMap<string, ReadonlySet<string>> | Answer {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(known, name)) return unknownName(name, known);
    const allowed = known[name];
    if (allowed !== undefined && !allowed.includes(value)) {
      return errorAnswer(400, `${name} cannot be ${quoted(value)}`, `give ${allowed.join(', ')}`);
    }
    const held = values.get(name) ?? new Set();
    values.set(name, held.add(value));
  }
  return values;
}

function unknownName(name: string, known: Known): Answer {
  const names = Object.keys(known);
  const advice = names.length === 0 ? 'this address takes none' : `known are ${names.join(', ')}`;
  return errorAnswer(400, `there is no parameter ${quoted(name)}`, advice);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
