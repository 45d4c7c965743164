/** The configuration file as it is written; every key may be left out. */
import { z } from 'zod';
import { SEVERITIES } from '../model/finding.js';
import { FAIL_ON } from './config.js';
import { outputsSchema } from './outputs-schema.js';

const texts = z.array(z.string().min(1));

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
  servers: z.record(z.string().min(1), z.union([z.string().min(1), texts])).optional(),
  failOn: z.enum(FAIL_ON).optional(),
  cluster: z.string().min(1).optional(),
  outputs: outputsSchema.optional(),
});
