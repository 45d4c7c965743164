/** Takes a JSON envelope apart: the records in it, as bytes, each with its sender. */
import { gunzipSync } from 'node:zlib';
import { isObject, type JsonObject } from '../documents/index.js';
import { plainValue } from './any-value.js';
import { beginsRecord } from './begins-record.js';
import { objectShapes } from './object-shapes.js';
import { valuesAt } from './paths.js';
import { restored } from './restore.js';
import { NO_FACTS, type Sender, senderOf } from './sender.js';
import { factsAt, type ReadyShape } from './shape.js';

/** A record taken out of its envelope. */
export interface Content {
  readonly bytes: Buffer;
  readonly sender: Sender;
  /** `piece`: more of the record follows in the next envelope. `maybe-piece`: so if it is none by itself. */
  readonly extent: 'whole' | 'piece' | 'maybe-piece';
}

/** Levels of lists inside lists of envelopes. */
const MAX_LEVELS = 4;
/** Compressed content that is unpacked at most, in bytes. */
const MAX_UNPACKED = 16 * 1024 * 1024;
/** Docker cuts long lines at 16 KiB; a shorter text without a line end is the whole line. */
const SHORTEST_PIECE = 8 * 1024;

/**
 * What the object holds, possibly nothing; undefined when it is no envelope that is known. Content that cannot be
 * handed out (left out by an exporter, damaged in its packing) is undefined in its place.
 */
export function openObject(value: JsonObject, outer: Sender): readonly (Content | undefined)[] | undefined {
  const contents: (Content | undefined)[] = [];
  return open(value, outer, MAX_LEVELS, contents) ? contents : undefined;
}

function open(value: JsonObject, outer: Sender, levels: number, contents: (Content | undefined)[]): boolean {
  for (const ready of objectShapes) {
    if (!hasMarks(value, ready)) continue;
    if (ready.shape.loose) {
      // An object of Kubernetes is no envelope, whatever its fields are called.
      if (typeof value.kind === 'string' || !holdsRecord(value, ready)) continue;
    }
    const sender = senderOf(factsAt(value, ready.from, NO_FACTS), outer);
    for (const path of ready.entries)
      for (const entry of valuesAt(value, path))
        if (levels === 0 || !isContainer(entry)) contents.push(undefined);
        else if (!open(entry, sender, levels - 1, contents)) contents.push(wholeOf(entry, sender));
    for (const content of eventsAt(value, ready)) contents.push(contentOf(content, value, ready, sender));
    return true;
  }
  return false;
}

/** A row may be an array. */
function isContainer(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

function hasMarks(value: JsonObject, { marks }: ReadyShape): boolean {
  return marks.every(({ path, text }) => {
    const [found] = valuesAt(value, path);
    return text === undefined ? found !== undefined : found === text;
  });
}

function holdsRecord(value: JsonObject, { event }: ReadyShape): boolean {
  return event.some((path) => valuesAt(value, path).some((found) => typeof found === 'string' && looksRight(found)));
}

/** The values of the first path that leads to a record; else of the first that leads anywhere. */
function eventsAt(value: JsonObject, { event }: ReadyShape): readonly unknown[] {
  let first: readonly unknown[] = [];
  for (const path of event) {
    const found = valuesAt(value, path);
    if (found.some((each) => isObject(each) || (typeof each === 'string' && looksRight(each)))) return found;
    if (first.length === 0) first = found;
  }
  return first;
}

function looksRight(text: string): boolean {
  const head = Buffer.from(text.slice(0, 64).trimStart());
  return beginsRecord(head, 0, head.length);
}

function contentOf(found: unknown, value: JsonObject, ready: ReadyShape, sender: Sender): Content | undefined {
  const bytes = bytesOf(found, ready.shape.stored);
  if (bytes === undefined) return undefined;
  return { bytes, sender, extent: extentOf(bytes, value, ready) };
}

function extentOf(bytes: Buffer, value: JsonObject, { shape, pieceAt }: ReadyShape): Content['extent'] {
  const { piece } = shape;
  if (piece === undefined) return 'whole';
  if (piece === 'without-line-end')
    return bytes.length >= SHORTEST_PIECE && bytes[bytes.length - 1] !== 10 ? 'maybe-piece' : 'whole';
  const said = pieceAt.flatMap((path) => valuesAt(value, path));
  return said.some((text) => typeof text === 'string' && piece.means.includes(text)) ? 'piece' : 'whole';
}

function bytesOf(found: unknown, stored: 'otlp' | 'base64' | 'bytes' | undefined): Buffer | undefined {
  if (stored === 'otlp') return bytesOf(plainValue(found), undefined);
  if (Buffer.isBuffer(found)) return found;
  if (stored === 'base64') return typeof found === 'string' ? unpacked(Buffer.from(found, 'base64')) : undefined;
  if (typeof found === 'string') return Buffer.from(found);
  if (Array.isArray(found)) return bytesOfList(found, stored);
  return isObject(found) ? Buffer.from(JSON.stringify(restored(found) ?? found)) : undefined;
}

/** A list of records; of journald one of byte values, or all values of a field that was given several times. */
function bytesOfList(list: readonly unknown[], stored: string | undefined): Buffer {
  if (stored !== 'bytes') return Buffer.from(JSON.stringify(list));
  if (list.every((byte) => typeof byte === 'number')) return Buffer.from(list as number[]);
  return Buffer.from(list.filter((each) => typeof each === 'string').join('\n'));
}

function unpacked(bytes: Buffer): Buffer | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED });
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

function wholeOf(entry: JsonObject, sender: Sender): Content {
  return { bytes: Buffer.from(JSON.stringify(restored(entry) ?? entry)), sender, extent: 'whole' };
}
