import { describe, expect, it } from '@jest/globals';
import type { Family, Sample } from '../../../src/outputs/metrics/family.js';
import { Growing } from '../../../src/outputs/metrics/growing.js';

function counter(...samples: readonly (readonly [string, number])[]): Family {
  return family('counter', samples);
}

function family(type: Family['type'], samples: readonly (readonly [string, number])[]): Family {
  const list: Sample[] = samples.map(([server, value]) => ({ labels: { server }, value }));
  return { name: 'wrong', help: '', type, unit: '1', samples: list };
}

function values({ samples }: Family): Record<string, number> {
  return Object.fromEntries(samples.map(({ labels, value }) => [labels.server ?? '', value]));
}

describe('a counter', () => {
  it('goes on where the window before ended', () => {
    const growing = new Growing();
    expect(values(growing.apply(counter(['cp1', 40])))).toEqual({ cp1: 40 });
    expect(values(growing.apply(counter(['cp1', 100])))).toEqual({ cp1: 100 });
    // The next window holds the later 60 of them.
    expect(values(growing.apply(counter(['cp1', 60])))).toEqual({ cp1: 100 });
    expect(values(growing.apply(counter(['cp1', 75])))).toEqual({ cp1: 115 });
    expect(values(growing.apply(counter(['cp1', 15])))).toEqual({ cp1: 115 });
  });

  it('stays when its series is gone, and goes on when it comes back', () => {
    const growing = new Growing();
    growing.apply(counter(['cp1', 7], ['cp2', 1]));
    expect(values(growing.apply(counter(['cp2', 2])))).toEqual({ cp1: 7, cp2: 2 });
    expect(values(growing.apply(counter(['cp1', 3], ['cp2', 2])))).toEqual({ cp1: 10, cp2: 2 });
  });
});

it('lets gauges fall', () => {
  const growing = new Growing();
  growing.apply(family('gauge', [['cp1', 5]]));
  expect(values(growing.apply(family('gauge', [['cp1', 2]])))).toEqual({ cp1: 2 });
});
