import { expect, test } from '@jest/globals';
import { Progress, progressLine } from '../../src/cli/progress.js';
import { formatBytes } from '../../src/cli/units.js';
import { fakeTerminal } from './fakes.js';

test('tells bytes, share, rate and time left', () => {
  expect(progressLine({ bytes: 250e6, totalBytes: 1e9 }, 1_000)).toBe(
    'reading 250.0 MB of 1.0 GB, 25 %, 250.0 MB/s, 3.0 s left',
  );
  expect(progressLine({ bytes: 5e6, totalBytes: null }, 2_000)).toBe('reading 5.0 MB, 2.5 MB/s');
  expect(progressLine({ bytes: 2e9, totalBytes: 1e9 }, 1_000)).toContain('100 %, 2.0 GB/s, 0 ms left');
  expect(progressLine({ bytes: 0, totalBytes: 0 }, 0)).toBe('reading 0 B, 0 B/s');
});

test('shows nothing in the first second, then redraws at most five times a second, and goes away', () => {
  let now = 0;
  const terminal = fakeTerminal({ now: () => now });
  const progress = new Progress(terminal, true);
  for (now = 0; now < 1_000; now += 50) progress.update({ bytes: now, totalBytes: 2_000 });
  expect(terminal.stderr.text).toBe('');
  for (now = 1_000; now < 2_000; now += 50) progress.update({ bytes: now, totalBytes: 2_000 });
  expect(terminal.stderr.text.split('\r').length - 1).toBe(5);
  progress.stop();
  expect(terminal.stderr.text.endsWith('\r\x1b[K')).toBe(true);
});

test('is silent when switched off', () => {
  let now = 0;
  const terminal = fakeTerminal({ now: () => now });
  const progress = new Progress(terminal, false);
  now = 5_000;
  progress.update({ bytes: 1, totalBytes: 2 });
  progress.stop();
  expect(terminal.stderr.text).toBe('');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 KB'],
  [999_949, '999.9 KB'],
  [999_960, '1.0 MB'],
  [1.5e12, '1.5 TB'],
  [9e15, '9000.0 TB'],
])('formatBytes(%d) is %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
