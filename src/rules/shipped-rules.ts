/**
 * The rules of the package: their files in rules/, and beside the compiled code the same rules as the build checked and
 * packed them. The packed ones are used while they are of these very files; else, as in a checkout, the files are read.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type PackedRule, packRule, unpackRule } from './packed-rules.js';
import type { Rule } from './rule.js';

/** rules/ at the package root, from dist/rules/ as from src/rules/. */
export const SHIPPED_DIR = fileURLToPath(new URL('../../rules/', import.meta.url));
/** Written by the build (write-packed.ts). */
export const PACKED_FILE = fileURLToPath(new URL('packed-rules.json', import.meta.url));

/** The content of a file of packed rules. */
export interface PackedRules {
  /** Digest of the files that the rules were read from. */
  readonly digest: string;
  readonly rules: readonly PackedRule[];
}

/** `rules` are those that the files in `dir` hold. */
export function packRules(rules: readonly Rule[], dir: string): PackedRules {
  return { digest: digestOf(dir), rules: rules.map(packRule) };
}

/** The rules that were packed into `file`; undefined when there is no such file, or when it is not of the files in `dir`. */
export function readPackedRules(file: string, dir: string): Rule[] | undefined {
  if (!existsSync(file)) return undefined;
  const packed = JSON.parse(readFileSync(file, 'utf8')) as PackedRules;
  return packed.digest === digestOf(dir) ? packed.rules.map(unpackRule) : undefined;
}

/** Names and contents: times and owners change when a package is installed. */
function digestOf(dir: string): string {
  const digest = createHash('sha256');
  for (const name of readdirSync(dir)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort()) {
    const content = readFileSync(`${dir}/${name}`);
    digest.update(`${name}\n${content.length}\n`).update(content);
  }
  return digest.digest('hex');
}
