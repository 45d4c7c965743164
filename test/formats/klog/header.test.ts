import { describe, expect, it } from '@jest/globals';
import { looksLikeHeader, readHeader } from '../../../src/formats/klog/header.js';
import { HOUR, MINUTE, SECOND } from '../../../src/model/time.js';

const read = (text: string) => readHeader(Buffer.from(text), 0, Buffer.byteLength(text));

describe('readHeader', () => {
  it('reads severity, date, time, file and where the message begins', () => {
    const line = 'W1130 11:18:28.901461   22227 logging.go:55] [core] text';
    const header = read(line);
    expect(header).toEqual({
      severity: 'W',
      month: 11,
      day: 30,
      timeOfDayUs: 11 * HOUR + 18 * MINUTE + 28 * SECOND + 901461,
      file: 'logging.go',
      bodyStart: line.indexOf('[core]'),
    });
  });

  it('reads a header without a message', () => {
    expect(read('E0105 03:04:05.120001       1 a.go:1]')?.bodyStart).toBe(37);
    expect(read('F0105 03:04:05.120001       1 a_b-c.go:1234] ')?.file).toBe('a_b-c.go');
  });

  it.each([
    'X0105 03:04:05.120001       1 a.go:1] m',
    'I1305 03:04:05.120001       1 a.go:1] m',
    'I0100 03:04:05.120001       1 a.go:1] m',
    'I0105 03:04:05              1 a.go:1] m',
    'I0105 03:04:05.120001 a.go:1] m',
    'I0105 03:04:05.120001       1 a.go 1] m',
    'I0105 03:04:05.120001       1 a.go:1 m',
    'I0105 03:0',
    '',
  ])('refuses %j', (line) => {
    expect(read(line)).toBeUndefined();
  });

  it('reads inside a longer buffer only what it is told to', () => {
    const line = 'I0105 03:04:05.120001       1 a.go:1] m';
    const bytes = Buffer.from(`xx${line}`);
    expect(readHeader(bytes, 2, bytes.length)?.bodyStart).toBe(2 + line.length - 1);
    expect(readHeader(bytes, 2, bytes.length - 5)).toBeUndefined();
  });
});

describe('looksLikeHeader', () => {
  it('tells a torn header from other text', () => {
    const looks = (text: string) => looksLikeHeader(Buffer.from(text), 0, Buffer.byteLength(text));
    expect(looks('I0105 03:04')).toBe(true);
    expect(looks('I0105 03')).toBe(false);
    expect(looks('Impacted events:')).toBe(false);
  });
});
