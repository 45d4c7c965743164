/** The configuration file as it is written; every key may be left out. */
import { z } from 'zod';
import { SEVERITIES } from '../model/finding.js';
import { FAIL_ON } from './config.js';
import { text, texts } from './fields.js';
import { outputsSchema } from './outputs-schema.js';
import { kafkaSchema, listenSchema, serviceSchema } from './service-schema.js';

export const configSchema = z.strictObject({
  rules: z
    .strictObject({
      /** Folders of rules beside the shipped ones, relative to the configuration file. */
      dirs: texts.optional(),
      disable: texts.optional(),
      severity: z.record(z.string(), z.enum(SEVERITIES)).optional(),
    })
    .optional(),
  /** Inputs by server name, as globs over their paths or file names. */
  servers: z.record(text, z.union([text, texts])).optional(),
  failOn: z.enum(FAIL_ON).optional(),
  cluster: text.optional(),
  outputs: outputsSchema.optional(),
  kafka: kafkaSchema.optional(),
  service: serviceSchema.optional(),
  listen: listenSchema.optional(),
});
