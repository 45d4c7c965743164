/** One OTel Resource for each kube-apiserver and each version it ran, and one for the cluster as a whole. */
import type { Attributes } from '@opentelemetry/api';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { ServerSummary } from '../../model/analysis.js';
import { recordIdOf } from './ids.js';
import { safeText } from './safe-text.js';

const MAX_NAME = 253;
/** Servers and versions that get a Resource of their own; beyond that, one is made anew each time. */
const MAX_CACHED = 1_000;
/** These ways of knowing a server give its host name, which is the node's unless the node was named otherwise. */
const HOST_KNOWN = new Set(['own lease renewals', 'host name in the input name', 'identity lease only']);

/** Where peers reach a server. */
export interface Endpoint {
  readonly address: string;
  readonly port: number | null;
}

/** What the environment says of resources. */
export interface GivenResource {
  readonly attributes?: Attributes;
  /** Of this program. */
  readonly serviceName?: string;
}

/** Attributes that tell where this program runs, which is not where the apiservers do. */
const OF_THE_PROGRAM =
  /^(service|host|os|process|container|k8s|faas|telemetry|skewscope|webengine)\.|^cloud\.(availability_zone|resource_id)$/;

/** Exporters group by the Resource object, so equal ones are the same object. */
export class ServerResources {
  readonly #servers = new Map<string, ServerSummary>();
  readonly #cache = new Map<string, Resource>();
  readonly #given: Attributes;
  readonly #serviceName: string;

  constructor({ attributes = {}, serviceName = 'skewscope' }: GivenResource = {}) {
    this.#given = Object.fromEntries(Object.entries(attributes).filter(([name]) => !OF_THE_PROGRAM.test(name)));
    this.#serviceName = serviceName;
  }

  /** Learns what is known of the servers now; Resources made before stay as they are. */
  update(servers: readonly ServerSummary[]): this {
    for (const server of servers) this.#servers.set(keyOf(server.cluster, server.name), server);
    return this;
  }

  /** The server as it was at that time (microseconds): `service.version` is what it ran then. */
  of(cluster: string, name: string, atUs: number): Resource {
    const server = this.#servers.get(keyOf(cluster, name));
    const version = server === undefined ? undefined : versionAt(server, atUs);
    const key = JSON.stringify([cluster, name, version, server?.identity, server?.knownBy]);
    return this.#shared(key, () => serverAttributes(cluster, name, version, server));
  }

  /** For what concerns the control plane and no single server. */
  ofCluster(cluster: string): Resource {
    const name = safeText(cluster, MAX_NAME);
    return this.#shared(JSON.stringify([cluster]), () => ({
      'service.name': this.#serviceName,
      'service.namespace': name,
      'service.instance.id': recordIdOf('cluster', cluster),
      'k8s.cluster.name': name,
    }));
  }

  endpointOf(cluster: string, name: string): Endpoint | undefined {
    const server = this.#servers.get(keyOf(cluster, name));
    const dialled = server?.peerAddress ?? server?.addresses[0];
    return dialled === undefined ? undefined : parseEndpoint(dialled);
  }

  #shared(key: string, attributes: () => Record<string, string>): Resource {
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    const resource = resourceFromAttributes({ ...this.#given, ...attributes() });
    if (this.#cache.size < MAX_CACHED) this.#cache.set(key, resource);
    return resource;
  }
}

function serverAttributes(cluster: string, name: string, version: string | undefined, server?: ServerSummary) {
  return {
    'service.name': 'kube-apiserver',
    'service.namespace': safeText(cluster, MAX_NAME),
    'service.instance.id': instanceId(cluster, name, server),
    ...(version === undefined ? {} : { 'service.version': safeText(version, MAX_NAME) }),
    ...(server !== undefined && HOST_KNOWN.has(server.knownBy) ? { 'k8s.node.name': safeText(name, MAX_NAME) } : {}),
    'k8s.cluster.name': safeText(cluster, MAX_NAME),
    'skewscope.server': safeText(name, MAX_NAME),
  };
}

/** The version it ran then, else the one before, else the first. */
function versionAt(server: ServerSummary, atUs: number): string | undefined {
  return (server.versions.findLast(({ from }) => from <= atUs) ?? server.versions[0])?.version;
}

function instanceId(cluster: string, name: string, server: ServerSummary | undefined): string {
  return safeText(server?.identity ?? `apiserver-${recordIdOf('instance', cluster, name)}`, MAX_NAME);
}

/** `10.0.0.11:6443`, `[fd00::11]:6443`, or an address alone. */
function parseEndpoint(text: string): Endpoint {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const address = safeText(match?.[1] ?? match?.[2] ?? text, MAX_NAME);
  return { address, port: match === null ? null : Number(match[3]) };
}

function keyOf(cluster: string, name: string): string {
  return `${cluster.length}:${cluster}${name}`;
}
