/** Which topics there are of those that are wanted. */
import type { Admin } from 'kafkajs';

export interface FoundTopics {
  /** Sorted. */
  readonly names: readonly string[];
  /** Wanted names that no topic has. */
  readonly missing: readonly string[];
}

/** Patterns never stand for Kafka's own topics. */
const OWN = /^__/;

export async function findTopics(admin: Admin, wanted: readonly (string | RegExp)[]): Promise<FoundTopics> {
  return matchTopics(await admin.listTopics(), wanted);
}

export function matchTopics(existing: readonly string[], wanted: readonly (string | RegExp)[]): FoundTopics {
  const names = new Set<string>();
  const missing: string[] = [];
  for (const one of wanted) {
    if (typeof one === 'string') {
      if (existing.includes(one)) names.add(one);
      else missing.push(one);
      continue;
    }
    // A pattern with state, as of flag g, would skip every other name.
    const pattern = new RegExp(one.source, one.flags.replaceAll(/[gy]/g, ''));
    for (const name of existing) if (!OWN.test(name) && pattern.test(name)) names.add(name);
  }
  return { names: [...names].sort(), missing };
}
