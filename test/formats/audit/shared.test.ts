/** The decoders on recorded audit logs and on what other tools made of them, where those recordings are at hand. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { createFastDecoder } from '../../../src/formats/audit/index.js';
import { agree } from './agree.js';

const shared = join(import.meta.dirname, '../../../../shared');
const maybe = existsSync(shared) ? describe : describe.skip;

/** Runs with each policy level, damage by cuts, and all stages. */
const runs = ['healthy', 'healthy-request-response', 'partition', 'peer-crash'];

maybe('the two decoders agree on recordings', () => {
  test.each(runs)('captures/%s', (run) => {
    const folder = join(shared, 'captures', run);
    const logs = readdirSync(folder).filter((name) => name.includes('-audit.log'));
    expect(logs.length).toBeGreaterThan(0);
    for (const name of logs) expect(agreeOnLines(gunzipped(join(folder, name)))).toBeGreaterThan(0);
  });

  test('corpus', () => {
    const corpus = join(shared, 'corpus');
    const files = readdirSync(corpus, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const events = files.map((entry) => agreeOnLines(readFileSync(join(entry.parentPath, entry.name))));
    expect(events.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100);
  });
});

/** Every line, and the whole as one text; gives the number of events. */
function agreeOnLines(bytes: Buffer): number {
  const fast = createFastDecoder();
  let events = typeof agree(fast, bytes) === 'string' ? 0 : 1;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    if (typeof agree(fast, bytes, start, end) !== 'string') events++;
    start = end + 1;
  }
  return events;
}

function gunzipped(path: string): Buffer {
  const bytes = readFileSync(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}
