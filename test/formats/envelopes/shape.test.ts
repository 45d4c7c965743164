import { describe, expect, it } from '@jest/globals';
import { lineShapes } from '../../../src/formats/envelopes/line-shapes.js';
import { objectShapes } from '../../../src/formats/envelopes/object-shapes.js';
import { NO_FACTS } from '../../../src/formats/envelopes/sender.js';
import { factsAt, ready } from '../../../src/formats/envelopes/shape.js';

describe('descriptions of envelopes', () => {
  it('are taken apart once', () => {
    const shape = ready({
      name: 'x',
      marks: ['a/b', 'kind:List'],
      from: { host: ['h/n', 'h'] },
      event: ['e/*'],
      piece: { at: ['p'], means: ['P'] },
    });
    expect(shape).toMatchObject({
      marks: [
        { path: ['a', 'b'], text: undefined },
        { path: ['kind'], text: 'List' },
      ],
      event: [['e', '*']],
      entries: [],
      pieceAt: [['p']],
    });
    expect(factsAt({ h: 'cp-1' }, shape.from, NO_FACTS)).toEqual({ ...NO_FACTS, host: 'cp-1' });
  });

  it('have a name of their own and something to be known by', () => {
    for (const shapes of [objectShapes.map(({ shape }) => shape.name), lineShapes.map(({ name }) => name)])
      expect(new Set(shapes).size).toBe(shapes.length);
    for (const { marks } of objectShapes) expect(marks.length).toBeGreaterThan(0);
    for (const { pattern } of lineShapes) expect(pattern.source.startsWith('^')).toBe(true);
  });
});
