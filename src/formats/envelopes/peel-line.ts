/** Takes prefixes off a line, one after the other, until a record begins. */
import { looksLikeHeader } from '../klog/index.js';
import { beginsRecord } from './begins-record.js';
import { lineShapes } from './line-shapes.js';
import { type Facts, NO_FACTS } from './sender.js';
import type { LineShape } from './shape.js';

export interface Peeled {
  /** Where the record begins. */
  readonly start: number;
  /** What the prefixes say, and in which shapes. */
  readonly facts: Facts;
  readonly shapes: readonly string[];
  /** Of a CRI line, whether more of it follows. */
  readonly isPiece: boolean;
  /** Nothing else begins like that; otherwise the prefix is one only if a record stands behind it. */
  readonly isSure: boolean;
}

export type IsKnown = (facts: Facts, shapes: readonly string[]) => boolean;

/** Bytes of a line in which prefixes are looked for. */
const MAX_PREFIX = 2048;
const MAX_PREFIXES = 3;
/** What a line must hold for the shapes that need a record behind them. */
const RECORD = /[{[]["{]|[IWEF]\d{4} \d\d:/;

/**
 * The record behind the prefixes of `bytes[start, end)`; undefined when there are no prefixes. `isKnown` tells whether
 * lines with the same prefixes held records before: then any text may stand behind them.
 */
export function peelLine(bytes: Buffer, start: number, end: number, isKnown: IsKnown | undefined): Peeled | undefined {
  const first = bytes[start];
  if (first === undefined || first <= 32 || beginsRecord(bytes, start, end)) return undefined;
  const text = bytes.toString('latin1', start, Math.min(end, start + MAX_PREFIX));
  const mayHold = RECORD.test(text);
  return new Peeler(bytes, start, end, text, mayHold, isKnown).peel(0, NO_FACTS, []);
}

class Peeler {
  constructor(
    private readonly bytes: Buffer,
    private readonly start: number,
    private readonly end: number,
    private readonly text: string,
    private readonly mayHold: boolean,
    private readonly isKnown: IsKnown | undefined,
  ) {}

  peel(at: number, facts: Facts, shapes: readonly string[], isLast = false): Peeled | undefined {
    if (shapes.length > 0 && beginsRecord(this.bytes, this.start + at, this.end)) return this.found(at, facts, shapes);
    if (isLast || shapes.length === MAX_PREFIXES) return undefined;
    const rest = this.text.slice(at);
    for (const shape of lineShapes) {
      if (!shape.sure && !this.mayHold && this.isKnown === undefined) continue;
      if (shapes.includes(shape.name)) continue;
      const match = shape.pattern.exec(rest);
      if (match === null) continue;
      const peeled = this.take(shape, match, at, facts, shapes);
      if (peeled !== undefined) return peeled;
    }
    return undefined;
  }

  private take(
    shape: LineShape,
    match: RegExpExecArray,
    at: number,
    facts: Facts,
    shapes: readonly string[],
  ): Peeled | undefined {
    const behind = at + match[0].length;
    const said = factsOf(match.groups ?? {}, facts);
    const all = [...shapes, shape.name];
    const isPiece = match.groups?.piece === 'P';
    // Any text may be a piece, or the rest of a record that began before.
    if (match.groups?.piece !== undefined)
      return { start: this.start + behind, facts: said, shapes: all, isPiece, isSure: true };
    const isSure = shape.sure === true || this.isKnown?.(said, all) === true;
    const inner = this.mayHold || this.isKnown !== undefined ? this.peel(behind, said, all, shape.last) : undefined;
    if (inner !== undefined) return isSure ? { ...inner, isSure } : inner;
    return isSure ? { ...this.found(behind, said, all), isSure } : undefined;
  }

  private found(at: number, facts: Facts, shapes: readonly string[]): Peeled {
    const isSure = looksLikeHeader(this.bytes, this.start + at, this.end) || this.isKnown?.(facts, shapes) === true;
    return { start: this.start + at, facts, shapes, isPiece: false, isSure };
  }
}

function factsOf(groups: Readonly<Record<string, string | undefined>>, facts: Facts): Facts {
  const said: Record<keyof Facts, string> = { ...facts };
  for (const fact of Object.keys(NO_FACTS) as (keyof Facts)[]) {
    const text = groups[fact];
    if (text !== undefined && text !== '' && text !== '-') said[fact] = Buffer.from(text, 'latin1').toString();
  }
  return groups.labels === undefined ? said : { ...said, ...labelled(groups.labels) };
}

/** What Loki's labels `{name="value", …}` say. */
function labelled(labels: string): Partial<Facts> {
  const value = (names: string) => new RegExp(`[{ ,](?:${names})="([^"\\\\]{0,1024})"`).exec(labels)?.[1] ?? '';
  return {
    pod: value('pod|pod_name'),
    host: value('node_name|node|host|hostname|nodename|instance'),
    component: value('container|container_name'),
    cluster: value('cluster|cluster_name'),
    file: value('filename'),
  };
}
