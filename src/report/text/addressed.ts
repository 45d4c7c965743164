/**
 * Servers of which nothing gives a host name are named by their identity lease, which ends in a hash. The summary for
 * people shows in front of it its node, else the address, where one is known; machines and the table of servers keep the whole name.
 */
import type { Analysis, ServerSummary } from '../../model/analysis.js';
import { relabelled } from './relabel.js';

const IDENTITY = /(?<![\w-])apiserver-[a-z2-7]{26}(?![\w-])/g;
/** `apiserver-` and as much of the hash as tells servers apart. */
const SHORT = 15;

/** The same analysis with `10.0.0.12 (apiserver-g4un5…)` for such names; as it was where there are none. */
export function addressed(analysis: Analysis): Analysis {
  const labels = labelsOf(analysis);
  if (labels.size === 0) return analysis;
  const name = (text: string) => labels.get(text) ?? text;
  return relabelled(analysis, { name, prose: (line) => line.replace(IDENTITY, name) });
}

function labelsOf({ servers }: Analysis): Map<string, string> {
  const nameless = servers.filter(({ name, identity }) => name === identity);
  return new Map(
    nameless.flatMap((server) => {
      const shown = server.node ?? ownAddress(server, servers);
      return shown === undefined ? [] : [[server.name, `${shown} (${server.name.slice(0, SHORT)}…)`] as const];
    }),
  );
}

/** An address that several have, such as a balancer's, names none of them. */
function ownAddress({ addresses: [only, ...more] }: ServerSummary, servers: readonly ServerSummary[]) {
  if (only === undefined || more.length > 0) return undefined;
  return servers.filter(({ addresses }) => addresses.includes(only)).length > 1 ? undefined : only;
}
