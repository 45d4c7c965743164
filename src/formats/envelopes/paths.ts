/**
 * Paths into parsed JSON, as shape descriptions write them: member names joined by `/`. `*` stands for each element of
 * an array, a number for one of them, and `=name` for the value of the pair `{"key"|"field": name, "value": …}` in one.
 * A name leads into an array of names and values in turn, too.
 */
import { isObject } from '../documents/index.js';

export type Path = readonly string[];

export function pathOf(text: string): Path {
  return text.split('/');
}

/** All values that the path leads to, in their order; own members only. */
export function valuesAt(value: unknown, path: Path): readonly unknown[] {
  let found: unknown[] = [value];
  for (const step of path) {
    const next: unknown[] = [];
    for (const each of found) follow(each, step, next);
    if (next.length === 0) return next;
    found = next;
  }
  return found;
}

/** Whether one of the lists on the path is empty, or null, as some programs write an empty one. */
export function leadsToEmptyList(value: unknown, path: Path): boolean {
  return path.some((step, at) => {
    if (step !== '*') return false;
    return valuesAt(value, path.slice(0, at)).some(
      (list) => list === null || (Array.isArray(list) && list.length === 0),
    );
  });
}

/** The first text that one of the paths leads to, cut to a bounded length; '' when there is none. */
export function textAt(value: unknown, paths: readonly Path[]): string {
  for (const path of paths) {
    for (const found of valuesAt(value, path)) {
      const text = typeof found === 'number' ? String(found) : plainText(found);
      if (text !== '') return text.slice(0, 1024);
    }
  }
  return '';
}

function follow(value: unknown, step: string, found: unknown[]): void {
  if (isObject(value)) {
    if (Object.hasOwn(value, step)) found.push(value[step]);
  } else if (!Array.isArray(value)) {
    return;
  } else if (step === '*') {
    for (const each of value) found.push(each);
  } else if (step.startsWith('=')) {
    const name = step.slice(1);
    for (const each of value) if (isObject(each) && (each.key === name || each.field === name)) found.push(each.value);
  } else if (/^\d+$/.test(step)) {
    if (Number(step) < value.length) found.push(value[Number(step)]);
  } else {
    for (let at = 0; at + 1 < value.length; at += 2) if (value[at] === step) found.push(value[at + 1]);
  }
}

/** A text, also in the form that OTLP gives it. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return '';
  const text = value.stringValue ?? value.string_value;
  return typeof text === 'string' ? text : '';
}
