/** Builds the collector of the tests. */
import { buildGoProgram, whyNoGoProgram } from '../go-program.js';

export { BUILD_TIMEOUT_MS } from '../go-program.js';

const SOURCE = new URL('.', import.meta.url);

/** Why it cannot be had here; undefined when it can. */
export function whyNoCollector(): string | undefined {
  return whyNoGoProgram(SOURCE);
}

/** Path of the program. Throws with what the Go tool said when it cannot be built. */
export function buildCollector(): Promise<string> {
  return buildGoProgram(SOURCE);
}
