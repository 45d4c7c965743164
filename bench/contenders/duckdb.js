/** DuckDB counts the 404 answers of each file, told exactly which fields it needs. Prints how many events there were. */
import { DuckDBInstance } from '@duckdb/node-api';

const connection = await (await DuckDBInstance.create(':memory:')).connect();
const files = process.argv.slice(2).map((path) => `'${path.replaceAll("'", "''")}'`);
const reader = await connection.runAndReadAll(`
  SELECT filename, count(*) AS events,
         count(*) FILTER (stage = 'ResponseComplete' AND responseStatus.code = 404) AS not_found
  FROM read_json([${files.join(', ')}], format = 'newline_delimited', filename = true, maximum_object_size = 33554432,
                 columns = {stage: 'VARCHAR', responseStatus: 'STRUCT(code INTEGER)'})
  GROUP BY filename ORDER BY filename`);
const rows = reader.getRows();
for (const [file, , notFound] of rows) console.error(`${file}: ${notFound} not found`);
console.log(rows.reduce((sum, [, events]) => sum + Number(events), 0));
