/** A plain, careful JSON scanner: it finds out why a text is no JSON, how deep it nests, and where top-level values lie. */
import type { ByteRange } from '../../model/record.js';
import { MAX_DEPTH, type Verdict, verdicts } from './decoder.js';

/** Called for each member of the outermost object, with its key's text as it stands between the quotes. */
export type OnMember = (rawKey: string, value: ByteRange) => void;

/**
 * Scans the JSON text in `bytes[start, end)`. Gives the range of the value, or the verdict on the first thing wrong
 * with it, in the order of the bytes.
 */
export function scanJson(bytes: Buffer, start: number, end: number, onMember?: OnMember): ByteRange | Verdict {
  const scanner = new Scanner(bytes, start, end, onMember);
  try {
    return scanner.whole();
  } catch (error) {
    if (error instanceof ScanError) return error.verdict;
    throw error;
  }
}

/** Why a text is no event, for one that a decoder has refused. */
export function verdictOn(bytes: Buffer, start: number, end: number): Verdict {
  const range = scanJson(bytes, start, end);
  return typeof range === 'string' ? range : verdicts.notAudit;
}

class ScanError extends Error {
  constructor(readonly verdict: Verdict) {
    super(verdict);
  }
}

const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const OPEN = new Set([0x7b, 0x5b]);
const ESCAPES = new Set([...'"\\/bfnrt'].map((char) => char.charCodeAt(0)));
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER_START = /^-?(?:(?:0|[1-9]\d*)(?:\.\d*|(?:\.\d+)?[eE][+-]?\d*)?)?$/;

class Scanner {
  private readonly bytes: Buffer;
  private readonly end: number;
  private readonly onMember: OnMember | undefined;
  private readonly container: boolean;
  private at: number;

  constructor(bytes: Buffer, start: number, end: number, onMember: OnMember | undefined) {
    this.bytes = bytes;
    this.end = end;
    this.at = start;
    this.onMember = onMember;
    this.space();
    this.container = OPEN.has(this.peek());
  }

  whole(): ByteRange {
    const start = this.at;
    this.value(1);
    const end = this.at;
    this.space();
    if (this.at < this.end) this.fail();
    return { start, end };
  }

  private value(depth: number): void {
    const byte = this.peek();
    if (byte === 0x22) this.string();
    else if (byte === 0x7b || byte === 0x5b) this.members(depth, byte === 0x7b);
    else if (byte === 0x74) this.literal('true');
    else if (byte === 0x66) this.literal('false');
    else if (byte === 0x6e) this.literal('null');
    else this.number();
  }

  private members(depth: number, keyed: boolean): void {
    if (depth > MAX_DEPTH) throw new ScanError(verdicts.tooDeep);
    const close = keyed ? 0x7d : 0x5d;
    this.at++;
    this.space();
    if (this.peek() === close) {
      this.at++;
      return;
    }
    for (;;) {
      const key = keyed ? this.key() : '';
      const start = this.at;
      this.value(depth + 1);
      if (keyed && depth === 1) this.onMember?.(key, { start, end: this.at });
      this.space();
      const byte = this.peek();
      if (byte !== close && byte !== 0x2c) this.fail();
      this.at++;
      if (byte === close) return;
      this.space();
    }
  }

  private key(): string {
    const start = this.at + 1;
    this.string();
    const key = this.bytes.toString('utf8', start, this.at - 1);
    this.space();
    if (this.peek() !== 0x3a) this.fail();
    this.at++;
    this.space();
    return key;
  }

  private string(): void {
    if (this.peek() !== 0x22) this.fail();
    this.at++;
    for (;;) {
      const byte = this.peek();
      if (byte < 0x20) this.fail();
      this.at++;
      if (byte === 0x22) return;
      if (byte === 0x5c) this.escape();
    }
  }

  private escape(): void {
    const byte = this.peek();
    if (byte !== 0x75 && !ESCAPES.has(byte)) this.fail();
    this.at++;
    if (byte !== 0x75) return;
    for (let digit = 0; digit < 4; digit++) {
      if (!/^[0-9a-fA-F]$/.test(String.fromCharCode(this.peek()))) this.fail();
      this.at++;
    }
  }

  private literal(word: string): void {
    for (const char of word) {
      if (this.peek() !== char.charCodeAt(0)) this.fail();
      this.at++;
    }
  }

  private number(): void {
    const start = this.at;
    while (this.at < this.end && /^[-+.\deE]$/.test(String.fromCharCode(this.peek()))) this.at++;
    const text = this.bytes.toString('latin1', start, this.at);
    if (NUMBER.test(text)) return;
    if (this.at < this.end || !NUMBER_START.test(text)) throw new ScanError(verdicts.notJson);
    this.fail();
  }

  private space(): void {
    while (this.at < this.end && SPACE.has(this.peek())) this.at++;
  }

  /** The byte at hand, or -1 behind the last one. */
  private peek(): number {
    return this.at < this.end ? (this.bytes[this.at] as number) : -1;
  }

  private fail(): never {
    throw new ScanError(this.at >= this.end && this.container ? verdicts.cutLine : verdicts.notJson);
  }
}
