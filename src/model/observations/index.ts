/** All observation types: the contract between correlation and rules. */
import { z } from 'zod';
import type { ObservationType } from './base.js';
import * as harm from './harm.js';
import * as peers from './peers.js';
import * as servers from './servers.js';
import * as trail from './trail.js';

export type { ObservationType } from './base.js';
export { type IdentityRejection, PEER_CALL_CAUSES, type PeerCallCause } from './peers.js';

const definitions = [
  servers.server,
  servers.serverRestart,
  servers.versionWindow,
  servers.startupRefused,
  servers.apiserviceChurn,
  peers.proxiedRequest,
  peers.proxyFailure,
  peers.proxyLatency,
  peers.peerDiscovery,
  peers.peerDiscoveryGap,
  peers.peerDiscoveryDropped,
  peers.discoveryStale,
  peers.peerCallFailure,
  peers.identityReplaced,
  peers.peerAddress,
  peers.advertiseFlags,
  peers.peerProxyState,
  peers.clusterProxy,
  harm.notFound,
  harm.collectedAfterNotFound,
  harm.namespaceFinalized,
  harm.legacyDiscovery,
  trail.streamGap,
  trail.streamDamage,
  trail.streamDuplicate,
  trail.auditIDReuse,
  trail.clockSkew,
  trail.mixedClusters,
  trail.serverLogMissing,
  trail.policyBlind,
] as const;

/** Any observation; a discriminated union on `type`. */
export type Observation = z.infer<(typeof definitions)[number]['schema']>;
export type ObservationOf<T extends Observation['type']> = Extract<Observation, { type: T }>;

/** Name to definition, in the order of the pages that list them. */
export const OBSERVATION_TYPES: ReadonlyMap<string, ObservationType> = new Map(
  definitions.map((definition) => [definition.type, definition as unknown as ObservationType]),
);

export const observationSchema = z.discriminatedUnion('type', [
  definitions[0].schema,
  ...definitions.slice(1).map((definition) => definition.schema),
]);
