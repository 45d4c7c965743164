/** Writes schema/skewscope.analysis.v1.schema.json from the zod schema: `node dist/report/write-schema.js [FILE]`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resultJsonSchema } from './result-schema.js';

const file = fileURLToPath(new URL('../../schema/skewscope.analysis.v1.schema.json', import.meta.url));
writeFileSync(process.argv[2] ?? file, `${JSON.stringify(resultJsonSchema(), null, 2)}\n`);
