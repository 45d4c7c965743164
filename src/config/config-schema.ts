/** The configuration file as it is written; every key may be left out. */
import { z } from 'zod';
import { SEVERITIES } from '../model/finding.js';
import { FAIL_ON } from './config.js';
import { text, texts } from './fields.js';
import { outputsSchema } from './outputs-schema.js';
import { kafkaSchema, listenSchema, serviceSchema } from './service-schema.js';

const globs = z.union([text, texts], {
  error: 'must be a glob or a list of globs, as in ["logs/cp1/*", "cp1-*"]',
});

export const configSchema = z.strictObject({
  rules: z
    .strictObject({
      dirs: texts.describe('Folders of rules beside the shipped ones, relative to this file.').optional(),
      disable: texts.describe('Ids of rules that are switched off.').optional(),
      severity: z
        .record(z.string(), z.enum(SEVERITIES))
        .describe("Severity by rule id, in place of the rule's own.")
        .optional(),
    })
    .describe('Which rules are used, and how.')
    .optional(),
  servers: z
    .record(text, globs)
    .describe('Recorded logs by the server that wrote them, as globs over their paths or file names.')
    .optional(),
  failOn: z.enum(FAIL_ON).describe('Lowest severity that makes `analyze` and `watch` exit with 1.').optional(),
  cluster: text.describe('Name of the cluster that all inputs belong to.').optional(),
  outputs: outputsSchema.describe('What findings, spans and metrics are sent to.').optional(),
  kafka: kafkaSchema.describe('What `skewscope serve` reads.').optional(),
  service: serviceSchema.describe('How `skewscope serve` works.').prefault({}),
  listen: listenSchema.describe('Where `skewscope serve` listens.').prefault({}),
});

export type ConfigSection = z.output<typeof configSchema>;
