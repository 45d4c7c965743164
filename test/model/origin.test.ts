import { describe, expect, it } from '@jest/globals';
import { type InputRef, kindOf, originText, partitionLine, placeIn, placeText } from '../../src/model/origin.js';

const FILE: InputRef = { id: 0, name: 'cp1-audit.log', kind: 'file' };
const PARTITION: InputRef = { id: 1, name: 'audit/4', kind: 'kafka' };
const TOPIC: InputRef = { id: 2, name: 'audit', kind: 'kafka', partitioned: true };

describe('places', () => {
  it('are as they stand, in files and in partitions', () => {
    expect(placeIn(FILE, 17)).toEqual({ input: 'cp1-audit.log', line: 17 });
    expect(placeIn(PARTITION, 1)).toEqual({ input: 'audit/4', line: 1 });
  });

  it('tell partition and line of what one server wrote into several', () => {
    expect(placeIn(TOPIC, partitionLine(4095, 3))).toEqual({ input: 'audit/4095', line: 3 });
    expect(placeIn(TOPIC, partitionLine(0, 1))).toEqual({ input: 'audit/0', line: 1 });
  });

  it('stay in their partition however many records a message has', () => {
    expect(placeIn(TOPIC, partitionLine(7, 5_000_000)).input).toBe('audit/7');
  });

  it('are spelt as people look them up', () => {
    expect(originText(FILE, 17, 4711)).toBe('cp1-audit.log:17');
    expect(originText(TOPIC, partitionLine(2, 1), 4711)).toBe('audit/2@4711');
    expect(placeText({ ...kindOf(TOPIC), input: 'audit/2', line: 1, offset: 4711 })).toBe('audit/2@4711');
    expect(placeText({ ...kindOf(FILE), input: 'audit/2', line: 1, offset: 0 })).toBe('audit/2:1');
  });
});
