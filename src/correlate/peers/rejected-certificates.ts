/**
 * Client certificates that a kube-apiserver did not accept, as its own log tells. A line names the certificate and the
 * reason but not the caller; which ones were peers', the times of the calls tell that got 401.
 */
import type { LogLine } from '../../model/record.js';
import { EvidenceSet } from '../evidence.js';
import { Moments } from '../moments.js';
import type { Life } from '../writer.js';
import { type Rejection, rejectionOf } from './rejection-reason.js';

const MESSAGE = 'Unable to authenticate the request';
/** Every line of one certificate differs in this. */
const CURRENT_TIME = /current time \S+/g;
const KEY_LIMIT = 600;
/** Certificates and reasons that are told apart, for each life and in all. */
const EACH = 32;
const ALL = 2_000;

/** One certificate and one reason, at one life of a server. */
export interface RejectedCertificate {
  readonly rejection: Rejection;
  readonly at: Moments;
  readonly evidence: EvidenceSet;
}

export class RejectedCertificates {
  readonly #byLife = new Map<Life, Map<string, RejectedCertificate>>();
  #count = 0;

  /** What the line says of a client certificate that was not accepted; undefined when it says nothing of one. */
  read(line: LogLine): Rejection | undefined {
    if (line.severity !== 'E' || !line.message.startsWith(MESSAGE)) return undefined;
    return rejectionOf(errorOf(line));
  }

  take(line: LogLine, rejection: Rejection, life: Life): void {
    const known = this.#byLife.get(life) ?? new Map<string, RejectedCertificate>();
    this.#byLife.set(life, known);
    const key = errorOf(line).replace(CURRENT_TIME, '').slice(0, KEY_LIMIT);
    let certificate = known.get(key);
    if (certificate === undefined) {
      if (known.size >= EACH || this.#count >= ALL) return;
      this.#count += 1;
      certificate = { rejection, at: new Moments(), evidence: new EvidenceSet(3) };
      known.set(key, certificate);
    }
    certificate.at.add(line.timeUs);
    certificate.evidence.add(line.timeUs, life.writer.input, line.line, line.offset, line.text);
  }

  /** By certificate and reason. */
  of(life: Life): Iterable<readonly [key: string, RejectedCertificate]> {
    return this.#byLife.get(life) ?? [];
  }
}

function errorOf(line: LogLine): string {
  return line.fields?.get('err') ?? '';
}
