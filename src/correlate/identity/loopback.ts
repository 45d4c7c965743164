/** Reads a writer's identity from what its apiserver does over loopback: leases, boot ID, version, own discovery. */
import type { AuditEvent, Rec } from '../../model/record.js';
import { isOneByOrder, type Life, type Writer, type Writers } from '../writer.js';
import type { LeaseBook } from './lease-book.js';
import { IDENTITY_NAME, OwnClient } from './own-client.js';

const AGENT = /^([^/\s]+)\/(v\d+\.\d+\.\d+[^\s]*)/;
/** What the client library says that was built without a version, whatever that of the server. */
const NO_VERSION = /^v0\.0\.0\b/;
const LOCAL_DISCOVERY = /^\/apis\?timeout=\d+s$/;

/**
 * The boot ID of the apiserver that wrote all of the records, as it did the items of one EventList. '' when no event over
 * loopback is among them, or such of several boots: then they are of nobody known.
 */
export function bootOf(records: readonly Rec[]): string {
  const own = new OwnClient();
  let boot = '';
  for (const record of records) {
    if (record.type !== 'audit' || !own.isSender(record) || record.userUID === boot) continue;
    if (boot !== '') return '';
    boot = record.userUID;
  }
  return boot;
}

/** Takes a loopback event: attributes it to a life (a new one when the boot ID is new) and notes what it proves. */
export function readLoopback(event: AuditEvent, writer: Writer, writers: Writers, leases: LeaseBook): Life {
  const life = lifeOf(event, writer, writers);
  const agent = AGENT.exec(event.userAgent);
  if (agent !== null) {
    writer.binaries.add(agent[1] ?? '');
    if (life.version === '' && !NO_VERSION.test(agent[2] ?? '')) life.version = agent[2] ?? '';
  }
  if (event.timeUs < life.bootFrom) life.bootFrom = event.timeUs;
  if (event.timeUs > life.bootTo) life.bootTo = event.timeUs;
  if (event.resource === '') readNonResource(event, life);
  else if (event.resource === 'leases' && IDENTITY_NAME.test(event.name)) readLease(event, life, leases);
  return life;
}

function lifeOf(event: AuditEvent, writer: Writer, writers: Writers): Life {
  const current = writer.current;
  const uid = event.userUID;
  if (current.uid === uid || uid === '') return current;
  writers.goesOn(writer, uid);
  if (current.uid === '' && !current.refused) {
    if (isAtItsStart(current)) {
      current.uid = uid;
      return current;
    }
    current.next = writers.newLife(writer, uid);
    writer.current = current.next;
    return current.next;
  }
  const earlier = writer.lives.find((life) => life.uid === uid);
  // A boot ID that comes back after another one: two servers write here in turns.
  if (earlier !== undefined && !isOneByOrder(writer.input)) writer.mixed = true;
  writer.current = earlier ?? writers.newLife(writer, uid);
  return writer.current;
}

/** Nothing was seen of it, or its log has told its start: the boot ID is its own. */
function isAtItsStart(life: Life): boolean {
  return life.from > life.to || life.startSeenAt !== 0 || life.version !== '';
}

function readNonResource(event: AuditEvent, life: Life): void {
  if (life.loopbackNonResourceAt === 0) life.loopbackNonResourceAt = event.timeUs;
  if (event.requestURI === '/readyz' && life.startSeenAt === 0) life.startSeenAt = event.timeUs;
  if (life.localDiscoveryAt === 0 && event.verb === 'get' && LOCAL_DISCOVERY.test(event.requestURI)) {
    life.localDiscoveryAt = event.timeUs;
  }
}

function readLease(event: AuditEvent, life: Life, leases: LeaseBook): void {
  const writer = life.writer;
  if (event.verb === 'update' || event.verb === 'patch' || event.verb === 'create') {
    writer.identities.add(event.name);
    life.identity = event.name;
    if (event.verb === 'create') life.startSeenAt ||= event.timeUs;
    if (event.stage === 'ResponseComplete' && event.code < 400) {
      life.renewals += 1;
      if (event.requestObject !== undefined) writer.leaseBodies = true;
      leases.fromAudit(event, life);
    }
  } else if (event.verb === 'delete' && event.stage === 'ResponseComplete') {
    // At its start a server deletes what an earlier boot left; at its end, what it renewed itself.
    if (life.renewals === 0) life.startSeenAt ||= event.timeUs;
    else if (writer.identities.has(event.name) && event.code < 400) life.stoppedAt = event.timeUs;
  }
}
