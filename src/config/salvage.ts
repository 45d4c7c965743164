/**
 * What can still be read of a configuration with mistakes in its shape, so that one check tells the other mistakes as
 * well: what is wrong is taken out, or replaced where it has to be there.
 */
import type { z } from 'zod';
import { alternativesFor } from '../rules/rule-error.js';
import type { ConfigSection } from './config-schema.js';
import type { Path } from './explain.js';

type Issue = z.core.$ZodIssue;
type Schema = z.ZodType<ConfigSection>;

export interface Salvaged {
  /** Undefined when nothing could be saved. */
  readonly section: ConfigSection | undefined;
  /** What of it the file does not say, or says wrong: what is found there, or because of it, is no mistake of the file. */
  readonly wrong: readonly Path[];
}

/** A file with more mistakes in its shape is looked at again when some of them are mended. */
const MAX_ISSUES = 100;
const MAX_STEPS = 300;

export function salvage(value: unknown, schema: Schema): Salvaged {
  const wrong: Path[] = [];
  let tree: unknown = structuredClone(value);
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const parsed = schema.safeParse(tree);
    if (parsed.success) return { section: parsed.data, wrong };
    const [issue] = parsed.error.issues;
    if (issue === undefined || tree === undefined || parsed.error.issues.length > MAX_ISSUES) break;
    tree = without(tree, issue, schema, wrong);
  }
  return { section: undefined, wrong };
}

/** Whether a part of the file, or something around it, is one of those. */
export function isIn(path: Path, places: readonly Path[]): boolean {
  return places.some((place) => place.every((key, at) => path[at] === key));
}

/** The value without this mistake; adds to `wrong` what is not to be relied upon. */
function without(tree: unknown, issue: Issue, schema: Schema, wrong: Path[]): unknown {
  const path = pathOf(issue);
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      drop(tree, [...path, key]);
      // It was probably meant for one of these, which is not missing then.
      for (const meant of likelyMeant(key)) wrong.push([...path, meant]);
    }
    return tree;
  }
  for (let length = path.length; length > 0; length -= 1) {
    const place = path.slice(0, length);
    wrong.push(place);
    if (typeof place.at(-1) !== 'number' && drop(tree, place) && isWell(tree, place, schema)) return tree;
    for (const stand of standIns(issue)) {
      set(tree, place, stand);
      if (isWell(tree, place, schema)) return tree;
    }
    drop(tree, place);
  }
  return undefined;
}

/** Keys that a misspelled one may stand for; none when it is like no other. */
function likelyMeant(key: string): string[] {
  const near = alternativesFor(key, KEYS);
  return near.length <= 3 ? near : [];
}

/** Keys whose absence is a mistake, or changes what others mean. */
const KEYS = [
  'address',
  'admin',
  'brokers',
  'clientCa',
  'deadLetters',
  'group',
  'kafka',
  'maxBody',
  'maxInFlight',
  'scaleOut',
  'tls',
  'token',
  'topic',
  'topics',
  'webhook',
];

/** One of them is right wherever something has to be. */
function standIns(issue: Issue): unknown[] {
  const own = issue.code === 'invalid_value' ? issue.values : 'options' in issue ? [issue.options].flat() : [];
  return [...own.slice(0, 1), 'x', ['x'], ['x:1'], ['http://x'], 'fromEnv:X', 'http://x', 1, '1s', '1Mi', {}];
}

function isWell(tree: unknown, place: Path, schema: Schema): boolean {
  const { error } = schema.safeParse(tree);
  return error === undefined || !error.issues.some((issue) => isIn(pathOf(issue), [place]));
}

function pathOf({ path }: Issue): Path {
  return path.map((key) => (typeof key === 'number' ? key : String(key)));
}

/** True when it was there. */
function drop(tree: unknown, place: Path): boolean {
  const parent = within(tree, place.slice(0, -1));
  const key = place.at(-1);
  if (parent === undefined || key === undefined || Array.isArray(parent) || !Object.hasOwn(parent, key)) return false;
  return Reflect.deleteProperty(parent, key);
}

function set(tree: unknown, place: Path, value: unknown): void {
  const parent = within(tree, place.slice(0, -1));
  const key = place.at(-1);
  if (parent === undefined || key === undefined || key === '__proto__') return;
  Reflect.set(parent, key, structuredClone(value));
}

/** The mapping or list under a path; what a value has from its prototype is no part of the file. */
function within(tree: unknown, path: Path): object | undefined {
  let inner = tree;
  for (const key of path) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined;
    inner = Reflect.get(inner, key);
  }
  return typeof inner === 'object' && inner !== null ? inner : undefined;
}
