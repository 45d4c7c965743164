/** What a receiver of OTLP has acknowledged, remembered by hash over restarts, so that logs that are read again send nothing twice. */
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../sources/source.js';
import { syncFolder } from '../delivery/spool/file-storage.js';
import { type ToldKey, ToldTable } from './told-table.js';

export interface ToldLogOptions {
  /** Null: remembered while the process lives. */
  readonly folder: string | null;
  /** Spans of requests, and log records, that are remembered at most; about one and a half times as many in the file. */
  readonly maxKeys: number;
}

export const MAX_TOLD = 1 << 19;
/** Logs that are read again are hardly older than what brokers and rotated files keep. */
const MAX_AGE_S = 7 * 24 * 3_600;
const FILE = 'told.bin';

export class ToldLog {
  #path: string | undefined;
  #handle: FileHandle | undefined;
  /** Records of the file, those given up with them. */
  #written = 0;

  private constructor(
    readonly options: ToldLogOptions,
    readonly table: ToldTable,
  ) {
    this.#path = options.folder === null ? undefined : join(options.folder, FILE);
  }

  /** The folder is there. Damage costs the records that it hits. Throws what the system says. */
  static async open(options: ToldLogOptions): Promise<ToldLog> {
    const table = new ToldTable();
    const log = new ToldLog(options, table);
    if (log.#path === undefined) return log;
    const bytes = await contentOf(log.#path);
    for (const key of readRecords(bytes)) table.add(key);
    const whole = bytes.length === table.size * RECORD;
    log.#written = table.size;
    // Half a record at the end would shift all that come behind it.
    if (!whole || table.size > options.maxKeys) await log.#compact();
    return log;
  }

  has({ hash }: ToldKey): boolean {
    return this.table.has(hash);
  }

  /** It was told with that time or a later one. */
  covers({ hash, atS }: ToldKey): boolean {
    return (this.table.timeOf(hash) ?? -1) >= atS;
  }

  /** On the disk when the promise resolves. Throws what the system says; the process knows them then all the same. */
  async note(keys: readonly ToldKey[]): Promise<void> {
    const fresh = keys.filter((key) => this.table.add(key));
    if (this.#path === undefined) {
      if (this.table.size > this.options.maxKeys * SLACK) this.#prune();
      return;
    }
    if (fresh.length === 0) return;
    this.#handle ??= await open(this.#path, 'a', 0o600);
    try {
      await this.#handle.appendFile(writeRecords(fresh));
      await this.#handle.datasync();
    } catch (error) {
      // A part of a record would shift all that come behind it.
      await this.#handle.truncate(this.#written * RECORD).catch(() => this.#giveUp());
      throw error;
    }
    if (this.#written === 0) await syncFolder(dirname(this.#path));
    this.#written += fresh.length;
    if (this.#written > this.options.maxKeys * SLACK) await this.#compact();
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  /** A whole new file takes the name of the old one. */
  async #compact(): Promise<void> {
    if (this.#path === undefined) return;
    await this.close();
    this.#prune();
    const temporary = `${this.#path}.tmp`;
    const handle = await open(temporary, 'w', 0o600);
    try {
      for (const piece of pieces(this.table.keys())) await handle.appendFile(writeRecords(piece));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, this.#path);
    await syncFolder(dirname(this.#path));
    this.#written = this.table.size;
  }

  /** The file is not written any more: what it holds stays true. */
  async #giveUp(): Promise<void> {
    await this.close();
    this.#path = undefined;
  }

  #prune(): void {
    this.table.prune(this.options.maxKeys, MAX_AGE_S);
  }
}

/** The file is written anew when it holds so many times as many as it may. */
const SLACK = 1.5;

const PIECE = 16 * 1024;

function* pieces(keys: Iterable<ToldKey>): Generator<ToldKey[]> {
  let piece: ToldKey[] = [];
  for (const key of keys) {
    piece.push(key);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = [];
  }
  yield piece;
}

/** Hash, seconds, and a checksum over both. */
const RECORD = 16;

function writeRecords(keys: readonly ToldKey[]): Buffer {
  const bytes = Buffer.alloc(keys.length * RECORD);
  for (const [index, { hash, atS }] of keys.entries()) {
    const at = index * RECORD;
    bytes.writeBigUInt64LE(hash, at);
    bytes.writeUInt32LE(atS, at + 8);
    bytes.writeUInt32LE(checksum(bytes, at), at + 12);
  }
  return bytes;
}

function* readRecords(bytes: Buffer): Generator<ToldKey> {
  for (let at = 0; at + RECORD <= bytes.length; at += RECORD) {
    if (bytes.readUInt32LE(at + 12) !== checksum(bytes, at)) continue;
    yield { hash: bytes.readBigUInt64LE(at), atS: bytes.readUInt32LE(at + 8) };
  }
}

/** Of the twelve bytes from there on; not 0 where they are, as after a crash of the machine. */
function checksum(bytes: Buffer, at: number): number {
  let sum = 0x9747b28c;
  for (let word = at; word < at + 12; word += 4) {
    sum = Math.imul(sum ^ bytes.readUInt32LE(word), 0x5bd1e995);
    sum ^= sum >>> 13;
  }
  return sum >>> 0;
}

async function contentOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}

/** 24 hex digits a key, for the lines of the spool. */
export function keyText({ hash, atS }: ToldKey): string {
  return `${hash.toString(16).padStart(16, '0')}${atS.toString(16).padStart(8, '0')}`;
}

export function parseKey(text: string): ToldKey {
  return { hash: BigInt(`0x${text.slice(0, 16)}`), atS: Number.parseInt(text.slice(16), 16) };
}
