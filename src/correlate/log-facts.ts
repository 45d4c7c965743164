/** What a process log says of its own server: version, flags, addresses, API groups, marks of the peer proxy, refusals. */
import type { Flag, LogLine } from '../model/record.js';
import { SECOND } from '../model/time.js';
import { EvidenceSet } from './evidence.js';
import type { Life, Writer, Writers } from './writer.js';

/** `Lmmdd hh:mm:ss.uuuuuu number file:line]` */
const PROCESS = /^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +(\d+) /;
const VERSION = /^Version: (v\d+\.\d+\.\d+\S*)/;
const OWN_ADDRESS = /^external host was not specified, using (\S+)/;
/** The local end of a broken connection, as the etcd client logs it. */
const LOCAL_END = /\b(?:read|write) tcp (\S+):\d+->/;
/** A server logs its version this soon after its flags. */
const HEAD = 5 * SECOND;
/** What stands at the very beginning of a log, so soon before the head, is of the same start: a warning about a flag. */
const LEAD = SECOND;
const OWN_LEASE = /^(?:Deleting old lease on startup|Cleaning up lease on exit)/;
const GROUP_OFF = /^API group "([^"]+)" is not enabled, skipping/;
const GROUP_ON = /^Adding GroupVersion (\S*) (v\S+) to ResourceManager/;
/** `waiting for shutdown to be initiated` is what a server writes that has just started. */
const STOPPING =
  /^(?:Shutting down peer endpoint lease reconciler|Stopped listening on |\[graceful-termination\] (?!waiting for shutdown to be initiated))/;
const PEER_PROXY_FILES = new Set([
  'peerproxy.go',
  'peerproxy_handler.go',
  'peer_discovery.go',
  'local_discovery.go',
  'gv_exclusion_manager.go',
  'exclusion_filter.go',
]);
const PEER_PROXY_CACHES = new Set([
  'mixed-version-proxy',
  'peer-discovery-cache-sync',
  'gv-exclusion-manager',
  'unknown-version-proxy',
]);
const REFUSAL =
  /(--(?:peer-ca-file|peer-advertise-ip|peer-advertise-port) requires UnknownVersionInteroperabilityProxy|UnknownVersionInteroperabilityProxy|error building peer proxy handler|failed to create proxy transport|proxy-(?:cert|key)-file not specified)/;
const FATAL_FILES = new Set(['run.go', 'server.go', 'main.go']);
const KEPT_FLAGS = new Set([
  'advertise-address',
  'bind-address',
  'secure-port',
  'feature-gates',
  'peer-ca-file',
  'peer-advertise-ip',
  'peer-advertise-port',
  'proxy-client-cert-file',
  'proxy-client-key-file',
  'requestheader-client-ca-file',
  'requestheader-allowed-names',
  'runtime-config',
  'emulated-version',
]);

/** A start that failed over a flag of the Mixed Version Proxy. */
export interface Refusal {
  readonly life: Life;
  readonly error: string;
  readonly flag: string;
  readonly timeUs: number;
  readonly evidence: EvidenceSet;
}

/** Facts of one life from its log. */
export class LogFacts {
  readonly flags = new Map<string, string>();
  readonly flagEvidence = new Map<string, EvidenceSet>();
  /** API groups that this server does not serve, and group/versions that it does. */
  readonly groupsOff = new Set<string>();
  readonly groupVersionsOn = new Set<string>();
  /** A line that only a built peer proxy writes; 0 when none was seen. */
  peerProxyAt = 0;
  readonly peerProxyEvidence = new EvidenceSet(2);
  /** The first line of the log's head; 0 when the log begins later. */
  headAt = 0;
  /** The log shows the start (`Version:`), so what is missing after it was not written. */
  versionAt = 0;
}

export class LogFactBook {
  readonly #byLife = new Map<number, LogFacts>();
  readonly refusals: Refusal[] = [];

  of(life: Life): LogFacts {
    let facts = this.#byLife.get(life.id);
    if (facts === undefined) {
      facts = new LogFacts();
      this.#byLife.set(life.id, facts);
    }
    return facts;
  }

  get(life: Life): LogFacts | undefined {
    return this.#byLife.get(life.id);
  }

  /** The life that a line belongs to; the head of a log (flags, own address, `Version:`) begins a new one. */
  lifeOf(line: LogLine | Flag, writer: Writer, writers: Writers): Life {
    const version = line.type === 'log' ? VERSION.exec(line.message)?.[1] : undefined;
    const isHead = line.type === 'flag' ? line.timeUs !== 0 : version !== undefined || OWN_ADDRESS.test(line.message);
    if (!isHead) return writer.current;
    const life = this.#isStarting(writer.current, line.timeUs) ? writer.current : writers.newLife(writer, '');
    writer.current = life;
    const facts = this.of(life);
    if (facts.headAt === 0) facts.headAt = line.timeUs;
    if (version !== undefined) {
      life.version = version;
      writer.apiserverLog = true;
      life.startSeenAt = line.timeUs;
      life.bootFrom = line.timeUs;
      facts.versionAt = line.timeUs;
    }
    return life;
  }

  take(line: LogLine, life: Life): void {
    if (life.bootTo < line.timeUs && life.version !== '') life.bootTo = line.timeUs;
    if (PEER_PROXY_FILES.has(line.file) || PEER_PROXY_CACHES.has(line.fields?.get('controller') ?? '')) {
      const facts = this.of(life);
      life.writer.apiserverLog = true;
      if (facts.peerProxyAt === 0) facts.peerProxyAt = line.timeUs;
      facts.peerProxyEvidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
    } else if (line.severity === 'I') this.#info(line, life);
    else if (line.file === 'logging.go' && life.writer.localAddresses.size === 0) noteLocalEnd(line, life.writer);
    if ((line.severity === 'E' || line.severity === 'F') && FATAL_FILES.has(line.file)) this.#refusal(line, life);
  }

  flag(flag: Flag, life: Life): void {
    if (!KEPT_FLAGS.has(flag.name)) return;
    const facts = this.of(life);
    facts.flags.set(flag.name, flag.value.slice(0, 300));
    const evidence = new EvidenceSet(1);
    evidence.add(flag.timeUs, life.writer.input, flag.line, flag.offset, `FLAG: --${flag.name}="${flag.value}"`);
    facts.flagEvidence.set(flag.name, evidence);
    if (flag.name === 'advertise-address') noteAddress(life.writer, flag.value);
  }

  /** Nothing of the life was seen yet, or only lines of the same head. */
  #isStarting(life: Life, timeUs: number): boolean {
    if (life.from > life.to) return life.uid === '';
    const headAt = this.get(life)?.headAt ?? 0;
    if (headAt === 0) return life.uid === '' && life.writer.lives.length === 1 && timeUs - life.from < LEAD;
    return life.version === '' && timeUs - headAt < HEAD;
  }

  #info(line: LogLine, life: Life): void {
    const address = OWN_ADDRESS.exec(line.message);
    if (address !== null) noteAddress(life.writer, address[1] ?? '');
    const off = GROUP_OFF.exec(line.message);
    if (off !== null) {
      this.of(life).groupsOff.add(off[1] ?? '');
      life.writer.apiserverLog = true;
    }
    const on = GROUP_ON.exec(line.message);
    if (on !== null) this.of(life).groupVersionsOn.add(on[1] === '' ? (on[2] ?? '') : `${on[1]}/${on[2]}`);
    if (OWN_LEASE.test(line.message)) {
      const name = /apiserver-[a-z2-7]{26}/.exec(line.fields?.get('lease') ?? line.text);
      if (name !== null) {
        life.writer.identities.add(name[0]);
        life.identity = name[0];
        life.writer.apiserverLog = true;
      }
    }
    if (life.stoppedAt === 0 && (STOPPING.test(line.message) || line.message === 'Cleaning up lease on exit')) {
      life.stoppedAt = line.timeUs;
    }
  }

  #refusal(line: LogLine, life: Life): void {
    const error = line.fields?.get('err') ?? line.message;
    if (!REFUSAL.test(error) || this.refusals.length >= 200) return;
    // The same line from a file that was given twice.
    if (this.refusals.some((known) => known.timeUs === line.timeUs && known.error === error.slice(0, 400))) return;
    const evidence = new EvidenceSet(1);
    evidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
    life.writer.apiserverLog = true;
    life.refused = true;
    this.refusals.push({ life, error: error.slice(0, 400), flag: flagOf(error), timeUs: line.timeUs, evidence });
  }
}

/** The number of the process that wrote the line, as `process N`; '' where the line does not say it (JSON). */
export function processOf({ text }: LogLine): string {
  const number = PROCESS.exec(text)?.[1];
  return number === undefined ? '' : `process ${number}`;
}

/** The flag that an error speaks of; its own words name some flags by their option field. */
function flagOf(error: string): string {
  const named = /--[a-z-]+/.exec(error);
  if (named !== null) return named[0];
  if (error.includes('proxy-cert-file')) return '--proxy-client-cert-file';
  if (error.includes('proxy-key-file')) return '--proxy-client-key-file';
  if (error.includes('UnknownVersionInteroperabilityProxy')) return '--feature-gates';
  return '--peer-ca-file';
}

/** Loopback says nothing: etcd may run on the same host. */
function noteLocalEnd(line: LogLine, writer: Writer): void {
  const host = LOCAL_END.exec(line.message)?.[1]?.replace(/^\[(.*)\]$/, '$1');
  if (host !== undefined && !/^(127\.|::1$)/.test(host)) writer.localAddresses.add(host);
}

function noteAddress(writer: Writer, address: string): void {
  const host = address.replace(/^\[(.*)\]$/, '$1');
  if (/^[0-9a-fA-F.:]+$/.test(host) && host !== '' && host !== '0.0.0.0' && host !== '::')
    writer.ownAddresses.add(host);
}
