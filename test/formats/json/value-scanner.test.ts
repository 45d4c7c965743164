import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ValueScanner } from '../../../src/formats/json/value-scanner.js';

/** Scans on over `items` and gives where and how it ended. */
function scan(text: string, pieceLength = text.length || 1) {
  const scanner = new ValueScanner();
  scanner.reset();
  const bytes = Buffer.from(text);
  const items: number[] = [];
  for (let base = 0; base < bytes.length; base += pieceLength) {
    const piece = bytes.subarray(base, base + pieceLength);
    let at = scanner.scan(piece, 0, piece.length, base);
    while (scanner.status === 'items') {
      items.push(base + at);
      at = scanner.scan(piece, at, piece.length, base);
    }
    if (scanner.status !== 'more') return { status: scanner.status, at: base + at, items, newlines: scanner.newlines };
  }
  return { status: scanner.status, at: bytes.length, items, newlines: scanner.newlines };
}

const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5, noNullPrototype: true });

describe('ValueScanner', () => {
  it('finds the end of every JSON object, in any layout and chunking', () => {
    fc.assert(
      fc.property(
        object,
        fc.constantFrom(undefined, 1, 4, '\t'),
        fc.integer({ min: 1, max: 40 }),
        (value, space, length) => {
          const text = JSON.stringify(value, null, space);
          expect(scan(`${text} {"next"`, length)).toMatchObject({ status: 'done', at: Buffer.byteLength(text) });
        },
      ),
      { numRuns: 500 },
    );
  });

  it('wants more of every object that is cut, and never takes a cut one for whole', () => {
    fc.assert(
      fc.property(object, fc.nat(), (value, cut) => {
        const text = JSON.stringify(value);
        const bytes = Buffer.from(text).subarray(0, cut % Buffer.byteLength(text));
        const scanner = new ValueScanner();
        scanner.reset();
        let at = 0;
        do at = scanner.scan(bytes, at, bytes.length, 0);
        while (scanner.status === 'items');
        expect(scanner.status).toBe('more');
      }),
      { numRuns: 300 },
    );
  });

  it('stops behind the bracket of top-level items only', () => {
    for (const length of [1, 2, 3, 100]) {
      const text = '{"a":{"items":[1]},"b":"items","items":[{"items":[]}]}';
      expect(scan(text, length)).toEqual({
        status: 'done',
        at: text.length,
        items: [text.indexOf('"items":[{') + 9],
        newlines: 0,
      });
    }
    expect(scan('{"itemsx":[],"item":[],"item\\u0073":[]}').items).toEqual([]);
  });

  it.each([
    ['a line end in a string', '{"a":"b\n', 7],
    ['a record behind a comma', '{"a":1,\n{"b":1}', 8],
    ['a record inside an open array', '{"a":["x",\n{"b":1}\n{"c":1}', 11],
    ['text of another kind', '{"a":1\nI0501 x', 7],
    ['a wrong bracket', '{"a":[}', 6],
    ['two values', '{"a":1 2}', 7],
    ['two strings', '{"a""b"}', 4],
    ['two objects without a comma', '{"a":[{}{}]}', 8],
  ])('stops at %s', (_, text, at) => {
    for (const length of [1, 3, 100]) expect(scan(text, length)).toMatchObject({ status: 'bad', at });
  });

  it('counts the lines inside a value', () => {
    expect(scan('{\n "a":\n  1\n}\n')).toMatchObject({ status: 'done', newlines: 3 });
  });
});
