/** What the samples' records give to outputs: requests, findings, and the analysis, as one batch. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { Correlator } from '../../../src/correlate/correlator.js';
import { createFastDecoder, RecordDecoder } from '../../../src/formats/index.js';
import type { InputRef } from '../../../src/model/origin.js';
import type { OutputBatch } from '../../../src/outputs/output.js';
import { judge } from '../../../src/rules/judge.js';
import { loadRules } from '../../../src/rules/load.js';

const SAMPLES = fileURLToPath(new URL('../../../samples', import.meta.url));

/** All findings are opened by this batch. */
export async function recordedBatch(sample: string): Promise<OutputBatch> {
  const audit = createFastDecoder();
  const correlator = new Correlator((bytes, start, end, line, offset) => {
    const told = audit.decode(bytes, start, end, line, offset);
    return typeof told === 'string' ? undefined : told;
  }, true);
  const folder = join(SAMPLES, sample);
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.gz'))
    .sort();
  // Audit logs come first and have years; klog text has none.
  let yearHintUs = 0;
  for (const [id, name] of names.entries()) {
    const input: InputRef = { id, name, kind: 'memory', yearHintUs };
    const decoder = new RecordDecoder(input, { audit });
    const records = [...decoder.feed(gunzipSync(readFileSync(join(folder, name)))), ...decoder.finish()];
    for (const record of records) {
      if (record.type === 'audit') yearHintUs = record.timeUs;
      correlator.take(record, input);
    }
  }
  correlator.end();
  const { observations, capabilities, writers, ...result } = correlator.snapshot();
  const judged = judge(await loadRules(), { observations, capabilities });
  const inputs = names.map((name) => ({ name, kind: 'memory', bytes: 0, records: 0, server: null, problems: {} }));
  return {
    changes: judged.findings.map((finding) => ({ kind: 'opened', finding })),
    findings: judged.findings,
    requests: correlator.requests(),
    analysis: { ...result, inputs, ...judged },
  };
}
