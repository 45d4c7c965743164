/**
 * Lets one consumer of kafkajs read its fetches by record batch (record-batch.ts). kafkajs has no place for that, so the
 * brokers of its cluster are told; where it does not look as expected, or a broker answers in another version, it
 * reads the messages itself, and the result is the same.
 */
import kafkajs, { type Cluster } from 'kafkajs';
import { FETCH_VERSION, type FetchOffset, readFetchResponse } from './fetch-response.js';

/** Number of the request in the protocol. */
const FETCH = 1;
/** How long a fetch waits for messages while some partitions are left out of it, in milliseconds. */
const SHORT_WAIT_MS = 20;

interface FetchArguments {
  readonly maxWaitTime?: number;
  readonly topics?: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly fetchOffset: string | number }[];
  }[];
}

interface Prepared {
  readonly request: { readonly apiVersion?: number };
  readonly response: { decode(payload: Buffer): Promise<unknown> };
}

type Prepare = (given: FetchArguments) => Prepared;

type LookUp = (apiKey: number, definition: unknown) => Prepare;

interface InnerBroker {
  lookupRequest?: LookUp;
}

interface InnerCluster {
  findBroker?: (which: { nodeId: string }) => Promise<InnerBroker>;
}

/** `isPartial`: whether a partition is paused now. It must not wait until others, which are at their ends, have something. */
export function fetchFast(cluster: Cluster, isPartial: () => boolean): void {
  const inner = cluster as unknown as InnerCluster;
  const { findBroker } = inner;
  if (typeof findBroker !== 'function' || Object.hasOwn(inner, 'findBroker')) return;
  const known = new WeakSet<InnerBroker>();
  inner.findBroker = async (which) => {
    const broker = await findBroker.call(cluster, which);
    if (!known.has(broker)) readFast(broker, isPartial);
    known.add(broker);
    return broker;
  };
}

/** From now on the broker's answers to fetches are read here, also after it has connected again. */
function readFast(broker: InnerBroker, isPartial: () => boolean): void {
  let lookUp = broker.lookupRequest;
  if (typeof lookUp !== 'function') return;
  Object.defineProperty(broker, 'lookupRequest', {
    get: () => lookUp && withFastFetch(lookUp, isPartial),
    set: (other: LookUp) => {
      lookUp = other;
    },
  });
}

function withFastFetch(lookUp: LookUp, isPartial: () => boolean): LookUp {
  return (apiKey, definition) => {
    const prepare = lookUp(apiKey, definition);
    if (apiKey !== FETCH) return prepare;
    return (given) => {
      const prepared = prepare(isPartial() ? { ...given, maxWaitTime: SHORT_WAIT_MS } : given);
      const { request, response } = prepared;
      if (request.apiVersion !== FETCH_VERSION) return prepared;
      const decode = async (payload: Buffer) =>
        (await readFetchResponse(payload, offsetsOf(given), decompress)) ?? response.decode(payload);
      return { ...prepared, response: { ...response, decode } };
    };
  };
}

function offsetsOf({ topics = [] }: FetchArguments): FetchOffset {
  return (topic, partition) => {
    for (const one of topics) {
      if (one.topic !== topic) continue;
      const asked = one.partitions.find((place) => place.partition === partition);
      if (asked !== undefined) return Number(asked.fetchOffset);
    }
    return 0;
  };
}

async function decompress(codec: number, bytes: Buffer): Promise<Buffer> {
  const make = (kafkajs.CompressionCodecs as Readonly<Record<number, unknown>>)[codec];
  if (typeof make !== 'function') throw new Error(`messages are packed with codec ${codec}, which is not known`);
  return (make() as { decompress(packed: Buffer): Promise<Buffer> }).decompress(bytes);
}
