/** The optional configuration file: what may stand in it. */
import { z } from 'zod';
import { SEVERITIES } from '../model/finding.js';

export const FAIL_ON = [...SEVERITIES, 'never'] as const;
export type FailOn = (typeof FAIL_ON)[number];

const severity = z.enum(SEVERITIES);
const texts = z.array(z.string().min(1));

/** The file as it is written; every key may be left out. */
export const configSchema = z.strictObject({
  rules: z
    .strictObject({
      /** Folders of rules beside the shipped ones, relative to the configuration file. */
      dirs: texts.optional(),
      /** Ids of rules that are switched off. */
      disable: texts.optional(),
      /** Severity by rule id, instead of the rule's own. */
      severity: z.record(z.string(), severity).optional(),
    })
    .optional(),
  /** Inputs by server name, as globs over their paths or file names. */
  servers: z.record(z.string().min(1), z.union([z.string().min(1), texts])).optional(),
  failOn: z.enum(FAIL_ON).optional(),
  /** Name of the cluster that all inputs belong to. */
  cluster: z.string().min(1).optional(),
});

/** `--server NAME=GLOB` or an entry of `servers`: the inputs that the glob names were written by this server. */
export interface ServerGlob {
  readonly name: string;
  readonly glob: string;
}

/** The file as the program uses it. */
export interface Config {
  readonly rules: {
    readonly dirs: readonly string[];
    readonly disable: readonly string[];
    readonly severity: Readonly<Record<string, (typeof SEVERITIES)[number]>>;
  };
  readonly servers: readonly ServerGlob[];
  readonly failOn: FailOn | undefined;
  readonly cluster: string | undefined;
}

export const NO_CONFIG: Config = {
  rules: { dirs: [], disable: [], severity: {} },
  servers: [],
  failOn: undefined,
  cluster: undefined,
};
