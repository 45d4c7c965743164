/** Takes a JSON envelope apart: the records in it, as bytes, each with its sender. */
import { isObject, type JsonObject } from '../documents/index.js';
import { isGzip } from '../gzip/header.js';
import { unpack } from '../gzip/unpack.js';
import { plainValue } from './any-value.js';
import { beginsRecord } from './begins-record.js';
import { jsonBytes } from './json-text.js';
import { objectShapes } from './object-shapes.js';
import { leadsToEmptyList, valuesAt } from './paths.js';
import { restored } from './restore.js';
import { NO_FACTS, type Sender, senderOf } from './sender.js';
import { factsAt, type ObjectShape, type ReadyShape } from './shape.js';

/** A record taken out of its envelope. */
export interface Content {
  readonly bytes: Buffer;
  readonly sender: Sender;
  /** `piece`: more of the record follows in the next envelope. `maybe-piece`: so if it is none by itself. */
  readonly extent: 'whole' | 'piece' | 'maybe-piece';
}

/** Levels of lists inside lists of envelopes. */
const MAX_LEVELS = 4;
/** Compressed content of one envelope that is unpacked at most, in bytes. */
const MAX_UNPACKED = 16 * 1024 * 1024;
/** Docker cuts long lines at 16 KiB; a shorter text without a line end is the whole line. */
const SHORTEST_PIECE = 8 * 1024;

/**
 * What the object holds, possibly nothing; undefined when it is no envelope that is known. Content that cannot be
 * handed out (left out by an exporter, damaged in its packing) is undefined in its place.
 */
export function openObject(value: JsonObject, outer: Sender): readonly (Content | undefined)[] | undefined {
  const opening = new Opening();
  return opening.open(value, outer, MAX_LEVELS) ? opening.contents : undefined;
}

class Opening {
  readonly contents: (Content | undefined)[] = [];
  private unpackable = MAX_UNPACKED;

  open(value: JsonObject, outer: Sender, levels: number): boolean {
    const ready = objectShapes.find((each) => fits(value, each));
    if (ready === undefined) return false;
    const sender = senderOf(factsAt(value, ready.from, NO_FACTS), outer);
    let found = 0;
    for (const path of ready.entries)
      for (const entry of valuesAt(value, path)) {
        found += 1;
        if (levels === 0 || !isContainer(entry)) this.contents.push(undefined);
        else if (!this.open(entry, sender, levels - 1)) this.contents.push(wholeOf(entry, sender));
      }
    for (const event of eventsAt(value, ready)) {
      found += 1;
      const bytes = this.bytesOf(event, ready.shape.stored);
      this.contents.push(bytes && { bytes, sender, extent: extentOf(bytes, value, ready) });
    }
    if (found === 0 && lacksContent(value, ready)) this.contents.push(undefined);
    return true;
  }

  private bytesOf(found: unknown, stored: ObjectShape['stored']): Buffer | undefined {
    if (stored === 'otlp') return plainBytes(plainValue(found));
    if (stored === 'bytes' && Array.isArray(found)) return bytesOfList(found);
    if (stored !== 'base64' || typeof found !== 'string') return plainBytes(found);
    const bytes = unpacked(Buffer.from(found, 'base64'), this.unpackable);
    if (bytes !== undefined) this.unpackable = Math.max(1, this.unpackable - bytes.length);
    return bytes;
  }
}

/** An object of Kubernetes fits no loose shape, whatever its fields are called. */
function fits(value: JsonObject, ready: ReadyShape): boolean {
  if (!hasMarks(value, ready)) return false;
  return ready.shape.loose !== true || (typeof value.kind !== 'string' && holdsRecord(value, ready));
}

/** Whether there is no list for content either that is empty by right. */
function lacksContent(value: JsonObject, { entries, event }: ReadyShape): boolean {
  const paths = [...entries, ...event];
  return paths.length > 0 && !paths.some((path) => leadsToEmptyList(value, path));
}

/** An entry that is no envelope but a record itself, for all that is known here. */
function wholeOf(entry: JsonObject, sender: Sender): Content | undefined {
  const bytes = plainBytes(entry);
  return bytes && { bytes, sender, extent: 'whole' };
}

/** A row may be an array. */
function isContainer(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

function hasMarks(value: JsonObject, { marks }: ReadyShape): boolean {
  // Most shapes are told apart by their first member alone.
  const key = marks[0]?.path[0] ?? '';
  if (!Object.hasOwn(value, key) && !Array.isArray(value)) return false;
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

function extentOf(bytes: Buffer, value: JsonObject, { shape, pieceAt }: ReadyShape): Content['extent'] {
  const { piece } = shape;
  if (piece === undefined) return 'whole';
  if (piece === 'without-line-end')
    return bytes.length >= SHORTEST_PIECE && bytes[bytes.length - 1] !== 10 ? 'maybe-piece' : 'whole';
  const said = pieceAt.flatMap((path) => valuesAt(value, path));
  return said.some((text) => typeof text === 'string' && piece.means.includes(text)) ? 'piece' : 'whole';
}

function plainBytes(found: unknown): Buffer | undefined {
  if (Buffer.isBuffer(found)) return found;
  if (typeof found === 'string') return Buffer.from(found);
  if (Array.isArray(found)) return jsonBytes(found);
  return isObject(found) ? jsonBytes(restored(found) ?? found) : undefined;
}

/** Of journald: byte values, or all values of a field that was given several times. */
function bytesOfList(list: readonly unknown[]): Buffer {
  if (list.every((byte) => typeof byte === 'number')) return Buffer.from(list as number[]);
  return Buffer.from(list.filter((each) => typeof each === 'string').join('\n'));
}

function unpacked(bytes: Buffer, maxBytes: number): Buffer | undefined {
  if (!isGzip(bytes)) return bytes;
  const content = unpack(bytes, maxBytes);
  return typeof content === 'string' ? undefined : content;
}
