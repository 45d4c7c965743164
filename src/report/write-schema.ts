/** Writes the JSON Schemas of results into schema/, from their zod schemas: `node dist/report/write-schema.js [FOLDER]`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultJsonSchema } from './result-schema.js';
import { traceJsonSchema } from './trace-schema.js';

const folder = process.argv[2] ?? fileURLToPath(new URL('../../schema/', import.meta.url));
for (const [name, schema] of [
  ['skewscope.analysis.v1.schema.json', resultJsonSchema()],
  ['skewscope.trace.v1.schema.json', traceJsonSchema()],
] as const) {
  writeFileSync(join(folder, name), `${JSON.stringify(schema, null, 2)}\n`);
}
