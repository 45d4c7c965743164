/** Who sent a message, as its headers, its key and its topic tell by the configured rules. */
import { looksLikeHostName, MAX_NAME_BYTES, serverName } from './host-name.js';
import type { Sender, SenderRules } from './port.js';

type HeaderValue = Buffer | string | (Buffer | string)[] | undefined;

/** The parts of a message that may name its sender. */
export interface Labelled {
  readonly key: Buffer | null;
  readonly headers?: Readonly<Record<string, HeaderValue>>;
}

export interface SenderReader {
  /** The sender of every message, when neither keys nor headers are asked. */
  readonly fixed: Sender | undefined;
  /** Whether headers are asked; otherwise keys tell all, and `ofKey` is enough. */
  readonly asksHeaders: boolean;
  /** The same object for the same sender, so that many messages are told apart cheaply. */
  read(message: Labelled): Sender;
  /** The same by a key that lies in some memory; empty where there is none. */
  ofKey(memory: Buffer, from: number, to: number): Sender;
}

/** Distinct keys and senders kept to be found again; random keys must not fill the memory. */
const MAX_KEPT = 4_096;
/** Keys that are found again by their bytes alone. */
const SLOTS = 64;

/**
 * Reads the senders of one topic. What is said counts before what is guessed: headers, then a key that is configured
 * to name the server, then the topic, then a key that looks like a host name. What can be no server's name, or has over
 * 253 bytes, names nobody.
 */
export function senderReader(rules: SenderRules, topic: string): SenderReader {
  const groups = rules.topic?.exec(topic)?.groups ?? {};
  const ofTopic = { server: serverName(groups.server ?? ''), cluster: bounded(groups.cluster ?? '') };
  const serverHeaders = rules.serverHeaders.map((name) => name.toLowerCase());
  const clusterHeaders = rules.clusterHeaders.map((name) => name.toLowerCase());
  const asksHeaders = serverHeaders.length + clusterHeaders.length > 0;
  const asksKey = rules.key === 'server' || (rules.key === 'auto' && ofTopic.server === '');
  const keyNames = keyReader(rules.key);
  const kept = new Map<string, Sender>();
  const ofKeys = new KeyedSenders();
  let last: Sender = ofTopic;

  function known(server: string, cluster: string): Sender {
    if (server === last.server && cluster === last.cluster) return last;
    const id = `${server}\n${cluster}`;
    const sender = kept.get(id) ?? { server, cluster };
    remember(kept, id, sender);
    return sender;
  }

  function read({ key, headers }: Labelled): Sender {
    const server =
      (asksHeaders ? headerText(headers, serverHeaders, serverName) : '') ||
      (rules.key === 'server' ? keyNames(key) : '') ||
      ofTopic.server ||
      (rules.key === 'auto' ? keyNames(key) : '');
    last = known(server, (asksHeaders ? headerText(headers, clusterHeaders) : '') || ofTopic.cluster);
    return last;
  }

  return {
    fixed: asksHeaders || asksKey ? undefined : ofTopic,
    asksHeaders,
    read,
    ofKey(memory, from, to) {
      const before = ofKeys.find(memory, from, to);
      if (before !== undefined) return before;
      const key = memory.subarray(from, to);
      const sender = read({ key });
      ofKeys.put(key, sender);
      return sender;
    },
  };
}

function keyReader(rule: SenderRules['key']): (key: Buffer | null) => string {
  const names = new Map<string, string>();
  return (key) => {
    if (key === null || key.length === 0 || key.length > MAX_NAME_BYTES) return '';
    const id = key.toString('latin1');
    const before = names.get(id);
    if (before !== undefined) return before;
    const text = textOf(key);
    const name = rule === 'server' ? serverName(text) : looksLikeHostName(text) ? text : '';
    remember(names, id, name);
    return name;
  };
}

/** Senders by the bytes of keys, for as many as replicas have servers; random keys push each other out. */
class KeyedSenders {
  readonly #keys = new Array<Buffer | undefined>(SLOTS).fill(undefined);
  readonly #senders = new Array<Sender | undefined>(SLOTS).fill(undefined);

  find(memory: Buffer, from: number, to: number): Sender | undefined {
    const at = slotOf(memory, from, to);
    const known = this.#keys[at];
    return known !== undefined && isAt(known, memory, from, to) ? this.#senders[at] : undefined;
  }

  put(key: Buffer, sender: Sender): void {
    if (key.length > MAX_NAME_BYTES) return;
    const at = slotOf(key, 0, key.length);
    // A copy: the key itself is a part of all that was fetched with it.
    this.#keys[at] = Buffer.from(key);
    this.#senders[at] = sender;
  }
}

/** Names of servers differ at their ends, or in the middle of them. */
function slotOf(memory: Buffer, from: number, to: number): number {
  if (to === from) return 0;
  const [last, middle, first] = [memory[to - 1], memory[from + ((to - from) >> 1)], memory[from]] as [
    number,
    number,
    number,
  ];
  return (last * 31 + middle * 7 + first + to - from) % SLOTS;
}

/** Keys are short: comparing here is faster than asking for it. */
function isAt(key: Buffer, memory: Buffer, from: number, to: number): boolean {
  const { length } = key;
  if (length !== to - from) return false;
  for (let i = length - 1; i >= 0; i--) if (key[i] !== memory[from + i]) return false;
  return true;
}

/** The first of `names` that the message has and that is not empty by `nameIn`. */
function headerText(
  headers: Labelled['headers'],
  names: readonly string[],
  nameIn = (text: string): string => text,
): string {
  if (headers === undefined || names.length === 0) return '';
  for (const name of names) {
    for (const own in headers) {
      if (own.length !== name.length || (own !== name && own.toLowerCase() !== name)) continue;
      const value = headers[own];
      for (const one of Array.isArray(value) ? value : [value]) {
        const text = nameIn(typeof one === 'string' ? bounded(one) : textOf(one));
        if (text !== '') return text;
      }
    }
  }
  return '';
}

/** UTF-8 text; '' for what is none, empty or too long. */
function textOf(bytes: Buffer | null | undefined): string {
  if (bytes === undefined || bytes === null || bytes.length > MAX_NAME_BYTES) return '';
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? '' : text;
}

function bounded(text: string): string {
  return Buffer.byteLength(text) > MAX_NAME_BYTES ? '' : text;
}

function remember<T>(map: Map<string, T>, id: string, value: T): void {
  if (map.size >= MAX_KEPT) map.clear();
  map.set(id, value);
}
