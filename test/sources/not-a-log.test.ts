import { expect, test } from '@jest/globals';
import { describeNonLog } from '../../src/sources/not-a-log.js';
import { makeFolder } from './folder.js';

test.each([
  ['PK\x03\x04rest', 'a ZIP archive; unpack it and give the folder'],
  [`${'\0'.repeat(257)}ustar`, 'a tar archive; unpack it and give the folder'],
  ['\x28\xb5\x2f\xfdx', 'compressed with zstd; decompress it first (only gzip is read directly)'],
  ['\xfd7zXZ\x00', 'compressed with xz; decompress it first (only gzip is read directly)'],
  ['\xff\xfeI\0', 'text in UTF-16; convert it to UTF-8 first (on Windows, > in PowerShell writes UTF-16)'],
  ['\xfe\xff\0I', 'text in UTF-16; convert it to UTF-8 first (on Windows, > in PowerShell writes UTF-16)'],
  ['\x7fELF', 'a program; not a log'],
  // Logs, whatever is wrong with them.
  ['{"kind":"Event"}', undefined],
  ['\x1f\x8b\x08', undefined],
  ['\0\0\0\0{"kind"', undefined],
  ['\ufeff{}', undefined],
  ['', undefined],
  ['P', undefined],
])('%j', async (content, what) => {
  const { path, drop } = makeFolder({ file: Buffer.from(content, 'latin1') });
  expect(await describeNonLog(`${path}/file`)).toBe(what);
  drop();
});
