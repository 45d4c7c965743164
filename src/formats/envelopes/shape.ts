/** What a description of an envelope is: data that says how to recognise one, where the record is, and who wrote it. */
import { type Path, pathOf, textAt } from './paths.js';
import type { Facts } from './sender.js';

/** Where an object names the writer; see Facts. The first path that leads to a text counts. */
export type FactPaths = Readonly<Partial<Record<keyof Facts, readonly string[]>>>;

export interface ObjectShape {
  readonly name: string;
  /** Paths that all lead somewhere; `path:text` also says which text stands there. */
  readonly marks: readonly string[];
  readonly from?: FactPaths;
  /** Where the record is: the first path that leads anywhere counts, all values it leads to are records. */
  readonly event?: readonly string[];
  /** Objects inside that are envelopes themselves. */
  readonly entries?: readonly string[];
  /** Whether the value is a piece of a record: where that is said and how, or that pieces lack a line end. */
  readonly piece?: { readonly at: readonly string[]; readonly means: readonly string[] } | 'without-line-end';
  /** How the record is stored if not as text or an object. */
  readonly stored?: 'otlp' | 'base64' | 'bytes';
  /** The record may be anything: it is taken only if it looks like one. */
  readonly loose?: true;
}

/** A description with its paths taken apart. */
export interface ReadyShape {
  readonly shape: ObjectShape;
  readonly marks: readonly { readonly path: Path; readonly text: string | undefined }[];
  readonly event: readonly Path[];
  readonly entries: readonly Path[];
  readonly pieceAt: readonly Path[];
  readonly from: readonly (readonly [fact: keyof Facts, paths: readonly Path[]])[];
}

/** The beginning of a line: `pattern` is anchored, looks at the first bytes as latin1, and names its groups after Facts. */
export interface LineShape {
  readonly name: string;
  readonly pattern: RegExp;
  /** Nothing else begins like that; other shapes need a record behind them, or an earlier line that began the same. */
  readonly sure?: true;
  /** No other prefix follows. */
  readonly last?: true;
}

export function ready(shape: ObjectShape): ReadyShape {
  return {
    shape,
    marks: shape.marks.map((mark) => {
      const colon = mark.indexOf(':');
      return colon < 0
        ? { path: pathOf(mark), text: undefined }
        : { path: pathOf(mark.slice(0, colon)), text: mark.slice(colon + 1) };
    }),
    event: (shape.event ?? []).map(pathOf),
    entries: (shape.entries ?? []).map(pathOf),
    pieceAt: typeof shape.piece === 'object' ? shape.piece.at.map(pathOf) : [],
    from: readyFrom(shape.from ?? {}),
  };
}

export function readyFrom(from: FactPaths): ReadyShape['from'] {
  return (Object.keys(from) as (keyof Facts)[]).map((fact) => [fact, (from[fact] ?? []).map(pathOf)] as const);
}

export function factsAt(value: unknown, from: ReadyShape['from'], none: Facts): Facts {
  const facts = { ...none };
  for (const [fact, paths] of from) facts[fact] = textAt(value, paths);
  return facts;
}
