/** Checks of files of deployment by a program in Go that knows the types of a control plane. */
import { spawnSync } from 'node:child_process';
import { buildGoProgram, whyNoGoProgram } from '../go-program.js';

export { BUILD_TIMEOUT_MS } from '../go-program.js';

const SOURCE = new URL('.', import.meta.url);

export interface Manifests {
  /** Builds a kustomization and decodes each object strictly; `mistakes` is '' when all fit. */
  build(folder: string): { readonly objects: readonly KubernetesObject[]; readonly mistakes: string };
  /** What is wrong with YAML files by a JSON Schema; '' when nothing is. */
  validate(schema: string, files: readonly string[]): string;
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** Why it cannot be had here; undefined when it can. */
export function whyNoManifests(): string | undefined {
  return whyNoGoProgram(SOURCE);
}

/** Throws with what the Go tool said when it cannot be built. */
export async function manifests(): Promise<Manifests> {
  const path = await buildGoProgram(SOURCE);
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(path, args, { encoding: 'utf8', maxBuffer: 16 * 2 ** 20 });
    return { stdout, mistakes: status === 0 ? '' : stderr || `exit code ${status}` };
  };
  return {
    build(folder) {
      const { stdout, mistakes } = run('build', folder);
      return { objects: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])), mistakes };
    },
    validate: (schema, files) => run('validate', schema, ...files).mistakes,
  };
}
