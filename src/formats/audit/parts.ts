/** Reads the object-valued members of an event from bytes; an object that was seen lately is found again by its bytes. */
import {
  DECISION,
  NO_NOTES,
  NO_REF,
  NO_STATUS,
  NO_USER,
  type NotesPart,
  type RefPart,
  refPart,
  type StatusPart,
  statusCode,
  TRUNCATED,
  type UserPart,
} from './event.js';
import { ObjectReader, readList } from './object-reader.js';
import { CLOSE_OBJECT, OPEN_ARRAY, OPEN_OBJECT, QUOTE, skipValue } from './skip.js';
import { Slots } from './slots.js';
import type { SlicedBuffer, TextReader } from './text.js';

/** Bytes that must follow before a hash of them may be taken. */
const SAMPLE = 92;
/** `{"metadata":{},"code":` in front of the three digits of a bare status. */
const BARE = bytesOf('{"metadata":{},"code":');
const BARE_0 = BARE.getFloat64(0, true);
const BARE_1 = BARE.getFloat64(8, true);
const BARE_2 = BARE.getFloat64(14, true);

export class PartReader {
  /** Behind the value that was read last; -1 when it was damaged. */
  next = -1;
  /** A hash of the user that was read last; 0 when it was not taken. */
  userHash = 0;
  private readonly users = new Slots<UserPart>(1024, 1000, NO_USER);
  private readonly refs = new Slots<RefPart>(1024, 360, NO_REF);
  private readonly statuses = new Slots<StatusPart>(512, 488, NO_STATUS);
  private readonly notes = new Slots<NotesPart>(512, 488, NO_NOTES);
  private readonly lists = new Slots<string>(256, 104, '');
  private readonly agents = new Slots<string>(256, 232, '');
  /** The bare statuses by code. */
  private readonly codes: StatusPart[] = [];
  private readonly userFields: ObjectReader;
  private readonly refFields: ObjectReader;
  private readonly statusFields: ObjectReader;
  private readonly noteFields: ObjectReader;
  private readonly metadataFields: ObjectReader;

  constructor(private readonly texts: TextReader) {
    this.userFields = new ObjectReader(texts, { username: 'text', uid: 'text', groups: 'list' });
    this.refFields = new ObjectReader(texts, {
      resource: 'text',
      namespace: 'text',
      name: 'text',
      apiGroup: 'text',
      apiVersion: 'text',
      subresource: 'text',
    });
    this.statusFields = new ObjectReader(texts, { status: 'text', reason: 'text', message: 'text', code: 'number' });
    this.noteFields = new ObjectReader(texts, { [DECISION]: 'text', [TRUNCATED]: 'text' });
    this.metadataFields = new ObjectReader(texts, { creationTimestamp: 'text' });
    for (let code = 0; code < 1000; code++) this.codes.push({ ...NO_STATUS, code });
  }

  user(bytes: SlicedBuffer, view: DataView, at: number, end: number): UserPart {
    if (at >= end || bytes[at] !== OPEN_OBJECT) return this.absent(NO_USER, bytes, view, at, end);
    const hash = at + SAMPLE <= end ? userHash(view, at) : 0;
    this.userHash = hash;
    const slot = hash === 0 ? -1 : this.users.find(hash, view, at, end - at);
    if (slot >= 0) {
      this.next = at + (this.users.lengths[slot] as number);
      return this.users.values[slot] as UserPart;
    }
    const fields = this.userFields;
    fields.read(bytes, view, at, end);
    this.next = fields.next;
    if (fields.next < 0) return NO_USER;
    const username = fields.texts[0] as string;
    const uid = fields.texts[1] as string;
    const groups = fields.texts[2] as string;
    const user = { username, uid, groups };
    if (hash !== 0) this.users.put(hash, view, at, fields.next - at, user);
    return user;
  }

  /** `seed` is the hash of something that the value goes with; so in the methods below. */
  ref(bytes: SlicedBuffer, view: DataView, at: number, end: number, seed: number): RefPart {
    if (at >= end || bytes[at] !== OPEN_OBJECT) return this.absent(NO_REF, bytes, view, at, end);
    const hash = at + SAMPLE <= end ? seed ^ mix(Math.imul(view.getInt32(at + 13, true), 0x9e3779b1)) : 0;
    const slot = hash === 0 ? -1 : this.refs.find(hash, view, at, end - at);
    if (slot >= 0) {
      this.next = at + (this.refs.lengths[slot] as number);
      return this.refs.values[slot] as RefPart;
    }
    const fields = this.refFields;
    fields.read(bytes, view, at, end);
    this.next = fields.next;
    if (fields.next < 0) return NO_REF;
    const resource = fields.texts[0] as string;
    const namespace = fields.texts[1] as string;
    const name = fields.texts[2] as string;
    const group = fields.texts[3] as string;
    const version = fields.texts[4] as string;
    const subresource = fields.texts[5] as string;
    const ref = refPart(resource, namespace, name, group, version, subresource);
    if (hash !== 0) this.refs.putRepeated(hash, view, at, fields.next - at, ref);
    return ref;
  }

  status(bytes: SlicedBuffer, view: DataView, at: number, end: number, seed: number): StatusPart {
    if (at >= end || bytes[at] !== OPEN_OBJECT) return this.absent(NO_STATUS, bytes, view, at, end);
    let hash = 0;
    if (at + SAMPLE <= end) {
      if (
        view.getFloat64(at, true) === BARE_0 &&
        view.getFloat64(at + 8, true) === BARE_1 &&
        view.getFloat64(at + 14, true) === BARE_2 &&
        bytes[at + 25] === CLOSE_OBJECT
      ) {
        const code = threeDigits(bytes, at + 22);
        if (code >= 100) {
          this.next = at + 26;
          return this.codes[code] as StatusPart;
        }
      }
      hash = seed ^ mix(Math.imul(view.getInt32(at + 16, true) ^ view.getInt32(at + 32, true), 0x9e3779b1));
    }
    const slot = hash === 0 ? -1 : this.statuses.find(hash, view, at, end - at);
    if (slot >= 0) {
      this.next = at + (this.statuses.lengths[slot] as number);
      return this.statuses.values[slot] as StatusPart;
    }
    const fields = this.statusFields;
    fields.read(bytes, view, at, end);
    this.next = fields.next;
    if (fields.next < 0) return NO_STATUS;
    const status = fields.texts[0] as string;
    const reason = fields.texts[1] as string;
    const message = fields.texts[2] as string;
    const part = { code: statusCode(fields.number), status, reason, message };
    if (hash !== 0) this.statuses.putRepeated(hash, view, at, fields.next - at, part);
    return part;
  }

  annotations(bytes: SlicedBuffer, view: DataView, at: number, end: number, seed: number): NotesPart {
    if (at >= end || bytes[at] !== OPEN_OBJECT) return this.absent(NO_NOTES, bytes, view, at, end);
    const hash = at + 8 <= end ? seed ^ mix(Math.imul(end - at, 0x9e3779b1)) : 0;
    const slot = hash === 0 ? -1 : this.notes.find(hash, view, at, end - at);
    if (slot >= 0) {
      this.next = at + (this.notes.lengths[slot] as number);
      return this.notes.values[slot] as NotesPart;
    }
    const fields = this.noteFields;
    fields.read(bytes, view, at, end);
    this.next = fields.next;
    if (fields.next < 0) return NO_NOTES;
    const notes = { decision: fields.texts[0] ?? '', truncated: fields.texts[1] === 'true' };
    if (hash !== 0) this.notes.put(hash, view, at, fields.next - at, notes);
    return notes;
  }

  sourceIPs(bytes: SlicedBuffer, view: DataView, at: number, end: number, seed: number): string {
    if (at >= end || bytes[at] !== OPEN_ARRAY) return this.absent('', bytes, view, at, end);
    const hash =
      at + 12 <= end
        ? seed ^ mix(Math.imul(view.getInt32(at + 4, true) ^ (view.getInt32(at + 8, true) << 3), 0x9e3779b1))
        : 0;
    const slot = hash === 0 ? -1 : this.lists.find(hash, view, at, end - at);
    if (slot >= 0) {
      this.next = at + (this.lists.lengths[slot] as number);
      return this.lists.values[slot] as string;
    }
    const list = readList(this.texts, bytes, view, at, end, 1);
    this.next = this.texts.next;
    if (hash !== 0 && this.next >= 0) this.lists.put(hash, view, at, this.next - at, list);
    return list;
  }

  userAgent(bytes: SlicedBuffer, view: DataView, at: number, end: number, seed: number): string {
    if (at >= end || bytes[at] !== QUOTE) return this.absent('', bytes, view, at, end);
    const hash =
      at + 20 <= end
        ? seed ^ mix(Math.imul(view.getInt32(at + 1, true) ^ (view.getInt32(at + 12, true) << 3), 0x9e3779b1))
        : 0;
    const slot = hash === 0 ? -1 : this.agents.find(hash, view, at, end - at);
    if (slot >= 0) {
      this.next = at + (this.agents.lengths[slot] as number);
      return this.agents.values[slot] as string;
    }
    const agent = this.texts.read(bytes, view, at, end);
    this.next = this.texts.next;
    if (hash !== 0 && this.next >= 0) this.agents.put(hash, view, at, this.next - at, agent);
    return agent;
  }

  /** `metadata.creationTimestamp`, as it is written. */
  creationTimestamp(bytes: SlicedBuffer, view: DataView, at: number, end: number): string {
    if (at >= end || bytes[at] !== OPEN_OBJECT) return this.absent('', bytes, view, at, end);
    this.metadataFields.read(bytes, view, at, end);
    this.next = this.metadataFields.next;
    return this.metadataFields.texts[0] ?? '';
  }

  private absent<T>(nothing: T, bytes: SlicedBuffer, view: DataView, at: number, end: number): T {
    this.next = skipValue(bytes, view, at, end, 1);
    return nothing;
  }
}

/** Of the bytes in which users differ: all of the name and, where that is short, what comes behind it. */
function userHash(view: DataView, at: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let from = at + 12; from < at + SAMPLE - 16; from += 16) {
    a = Math.imul(a ^ view.getInt32(from, true), 0x9e3779b1);
    b = Math.imul(b ^ view.getInt32(from + 4, true), 0x85ebca77);
    c = Math.imul(c ^ view.getInt32(from + 8, true), 0xc2b2ae3d);
    d = Math.imul(d ^ view.getInt32(from + 12, true), 0x27d4eb2f);
  }
  return mix(a ^ b ^ c ^ d);
}

/** Lets the upper bits count in the lower ones, which choose the slot. */
function mix(hash: number): number {
  return hash ^ (hash >>> 15);
}

/** The number that three digits write; -1 when one of them is no digit. */
function threeDigits(bytes: Uint8Array, at: number): number {
  const a = (bytes[at] as number) - 0x30;
  const b = (bytes[at + 1] as number) - 0x30;
  const c = (bytes[at + 2] as number) - 0x30;
  return a >>> 0 > 9 || b >>> 0 > 9 || c >>> 0 > 9 ? -1 : a * 100 + b * 10 + c;
}

function bytesOf(text: string): DataView {
  const bytes = Buffer.from(text);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
