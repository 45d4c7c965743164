/** The configuration file as JSON Schema, for editors and other tools: `skewscope config schema`. */
import { z } from 'zod';
import { configSchema } from './config-schema.js';

/** Draft 2020-12, of the file as it is written. */
export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'throw',
    override: tidy,
  });
  return { $schema, title: 'Configuration of skewscope', ...schema };
}

/** What refines without being said in the schema is left to `config check`. */
function tidy({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  // What an object holds by default is told at its keys.
  if (JSON.stringify(jsonSchema.default) === '{}') delete jsonSchema.default;
}
