import { describe, expect, it } from '@jest/globals';
import { beginsRecord } from '../../../src/formats/envelopes/begins-record.js';
import { endOfText, startOfText } from '../../../src/formats/envelopes/text-range.js';

describe('beginsRecord', () => {
  it.each([
    ['{"a":1}', true],
    ['{\n  "a": 1}', true],
    ['[{"a":1}]', true],
    ['[\n{', true],
    ['I0105 03:04:05.120001 1 a.go:1] x', true],
    ['{a}', false],
    ['[pod/a/b] x', false],
    ['[core] x', false],
    ['I am here', false],
    ['', false],
  ])('%j: %s', (text, begins) => {
    expect(beginsRecord(Buffer.from(text), 0, text.length)).toBe(begins);
  });
});

describe('the range of a text', () => {
  it('leaves white space out on both sides', () => {
    const bytes = Buffer.from(' \t\r\nab c\r\n ');
    expect(bytes.toString('utf8', startOfText(bytes, endOfText(bytes)), endOfText(bytes))).toBe('ab c');
    const blank = Buffer.from(' \n');
    expect([startOfText(blank, endOfText(blank)), endOfText(blank)]).toEqual([0, 0]);
  });
});
