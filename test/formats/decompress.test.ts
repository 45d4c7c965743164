import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type DecompressOptions, decompress } from '../../src/formats/decompress.js';

async function run(bytes: Buffer, chunkLength = 1000, options?: DecompressOptions) {
  const problems: string[] = [];
  const parts: Buffer[] = [];
  for await (const part of decompress(
    chunked(bytes, chunkLength),
    (reason, detail) => problems.push(`${reason}: ${detail}`),
    options,
  ))
    parts.push(part);
  return { content: Buffer.concat(parts), problems };
}

async function* chunked(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

const text = Buffer.from(Array.from({ length: 20_000 }, (_, index) => `line ${index * 7919}\n`).join(''));
const packed = gzipSync(text);

describe('decompress', () => {
  it.each([1, 7, 1000, 1_000_000])('reads gzip in chunks of %d', async (length) => {
    const content = length < 1000 ? text.subarray(0, 4000) : text;
    expect(await run(gzipSync(content), length)).toEqual({ content, problems: [] });
  });

  it('passes everything else through', async () => {
    for (const plain of [
      Buffer.alloc(0),
      Buffer.from('x'),
      Buffer.from('{"kind":"Event"}\n'),
      Buffer.from([0x1f]),
      text,
    ])
      expect(await run(plain, 3)).toEqual({ content: plain, problems: [] });
  });

  it('reads concatenated members, whatever the chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 2000 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 300 }),
        async (members, length) => {
          const buffers = members.map((member) => Buffer.from(member));
          const whole = Buffer.concat(buffers.map((member) => gzipSync(member)));
          expect(await run(whole, length)).toEqual({ content: Buffer.concat(buffers), problems: [] });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('comes to an end where damage follows much content of few bytes', async () => {
    const dense = gzipSync(Buffer.from(text.subarray(0, 9_000).toString('latin1').repeat(500)));
    for (let at = 5000; at < dense.length - 10; at += 500) {
      const damaged = Buffer.from(dense).fill(0xff, at, at + 10);
      const { content, problems } = await run(damaged, 1_000_000);
      expect(content.length).toBeGreaterThan(0);
      expect(problems[0]).toMatch(/^damaged-gzip/);
    }
  });

  it('reads headers with a name, a comment, extra bytes and a checksum', async () => {
    const header = Buffer.concat([packed.subarray(0, 3), Buffer.from([4 + 8 + 16 + 2]), packed.subarray(4, 10)]);
    const extras = Buffer.concat([Buffer.from([3, 0, 1, 2, 3]), Buffer.from('audit.log\0note\0'), Buffer.from([9, 9])]);
    expect(await run(Buffer.concat([header, extras, packed.subarray(10)]), 5)).toEqual({ content: text, problems: [] });
  });

  it('keeps the content before padding or garbage and reports it', async () => {
    for (const tail of [Buffer.alloc(512), Buffer.from('garbage'), Buffer.from([0x1f])]) {
      const { content, problems } = await run(Buffer.concat([packed, packed, tail]));
      expect(content.equals(Buffer.concat([text, text]))).toBe(true);
      expect(problems).toEqual([expect.stringMatching(/^damaged-gzip/)]);
    }
  });

  it('yields what a cut file still holds', async () => {
    for (const end of [5, 12, packed.length >> 1, packed.length - 9, packed.length - 3]) {
      const { content, problems } = await run(packed.subarray(0, end));
      expect(problems).toEqual([expect.stringMatching(/^truncated-gzip/)]);
      expect(text.subarray(0, content.length).equals(content)).toBe(true);
      if (end > 1000) expect(content.length).toBeGreaterThan(text.length / 4);
    }
  });

  it('yields what lies before damage', async () => {
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, packed.length >> 1, (packed.length >> 1) + 64);
    const { content, problems } = await run(damaged);
    expect(problems).toEqual([expect.stringMatching(/^damaged-gzip/)]);
    expect(content.length).toBeGreaterThan(text.length / 4);
  });

  it('reports a wrong checksum, keeps the content and reads on', async () => {
    const damaged = Buffer.from(packed);
    damaged[packed.length - 8] = (damaged[packed.length - 8] as number) ^ 1;
    const { content, problems } = await run(Buffer.concat([damaged, packed]));
    expect(content.length).toBe(2 * text.length);
    expect(problems).toEqual(['damaged-gzip: the checksum of the content is wrong']);
  });

  it('stops at the limits', async () => {
    const bomb = gzipSync(Buffer.alloc(30 * 1024 * 1024));
    const bySize = await run(bomb, 1000, { maxBytes: 2_000_000 });
    expect(bySize.problems).toEqual([expect.stringMatching(/^unreadable: more than 2000000/)]);
    expect(bySize.content.length).toBeLessThanOrEqual(2_000_000);
    const byRatio = await run(bomb, 1000, { maxRatio: 100 });
    expect(byRatio.problems).toEqual([expect.stringMatching(/^unreadable: content more than 100 times/)]);
    expect(byRatio.content.length).toBeLessThan(2_000_000);
    expect((await run(bomb)).content.length).toBe(30 * 1024 * 1024);
  });

  it('never throws on random bytes behind the magic', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), async (tail, length) => {
        const { problems } = await run(Buffer.concat([Buffer.from([0x1f, 0x8b]), Buffer.from(tail)]), length);
        expect(problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });

  it('passes on errors of the source, and closes it when the reader stops', async () => {
    let closed = false;
    async function* failing(): AsyncGenerator<Buffer> {
      try {
        yield packed.subarray(0, 100);
        throw new Error('disk gone');
      } finally {
        closed = true;
      }
    }
    const readAll = async () => {
      for await (const part of decompress(failing(), () => undefined)) expect(part.length).toBeGreaterThan(0);
    };
    await expect(readAll()).rejects.toThrow('disk gone');
    expect(closed).toBe(true);
  });
});
