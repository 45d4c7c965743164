/** Recognises by their first bytes the files that lie beside logs and are none: archives, pictures, programs. */
import { open } from 'node:fs/promises';

interface Kind {
  readonly what: string;
  readonly advice: string;
  readonly magic: Buffer;
  readonly at: number;
}

const UNPACK = 'unpack it and give the folder';
const UNCOMPRESS = 'decompress it first (only gzip is read directly)';
const CONVERT = 'convert it to UTF-8 first (on Windows, > in PowerShell writes UTF-16)';
const LEAVE = 'not a log';

const KINDS: readonly Kind[] = [
  kind('a ZIP archive', UNPACK, 'PK\x03\x04'),
  kind('a tar archive', UNPACK, 'ustar', 257),
  kind('a 7-Zip archive', UNPACK, '7z\xbc\xaf\x27\x1c'),
  kind('compressed with zstd', UNCOMPRESS, '\x28\xb5\x2f\xfd'),
  kind('compressed with xz', UNCOMPRESS, '\xfd7zXZ\x00'),
  kind('compressed with bzip2', UNCOMPRESS, 'BZh'),
  kind('compressed with lz4', UNCOMPRESS, '\x04\x22\x4d\x18'),
  kind('text in UTF-16', CONVERT, '\xff\xfe'),
  kind('text in UTF-16', CONVERT, '\xfe\xff'),
  kind('a PNG picture', LEAVE, '\x89PNG'),
  kind('a JPEG picture', LEAVE, '\xff\xd8\xff'),
  kind('a PDF document', LEAVE, '%PDF-'),
  kind('a program', LEAVE, '\x7fELF'),
  kind('an SQLite database', LEAVE, 'SQLite format 3\x00'),
];
const SNIFFED_BYTES = 512;

/**
 * What the file is when it cannot be a log, as in `a ZIP archive; unpack it and give the folder`; undefined otherwise.
 * Reads at most 512 bytes. Throws the system's error when it cannot be opened or read.
 */
export async function describeNonLog(path: string): Promise<string | undefined> {
  const handle = await open(path, 'r');
  try {
    const head = Buffer.alloc(SNIFFED_BYTES);
    const { bytesRead } = await handle.read(head, 0, SNIFFED_BYTES, 0);
    const found = KINDS.find(({ magic, at }) => head.subarray(at, at + magic.length).equals(magic) && bytesRead > at);
    return found && `${found.what}; ${found.advice}`;
  } finally {
    await handle.close();
  }
}

function kind(what: string, advice: string, magic: string, at = 0): Kind {
  return { what, advice, magic: Buffer.from(magic, 'latin1'), at };
}
