/** Tells apart requests and events where a rejected one leaves two answers: a watch that begins with an error also ends with it. */
import type { AuditEvent } from '../../model/record.js';

/** The second answer comes at once; policies that leave one of the stages out must not fill the memory. */
const LIMIT = 4_096;

export class Rejections {
  /** Requests of which one answer was seen and the other may come, the oldest first. */
  readonly #halfSeen = new Set<string>();

  /** Takes an answer with an error; true when the request was seen to be answered before, by its other stage. */
  isRepeated(event: AuditEvent): boolean {
    const twofold = event.stage === 'ResponseStarted' || event.verb === 'watch';
    if (!twofold && this.#halfSeen.size === 0) return false;
    const key = `${event.receivedUs} ${event.auditID} ${event.sourceIPs} ${event.verb}`;
    if (this.#halfSeen.delete(key)) return true;
    if (!twofold) return false;
    this.#halfSeen.add(key);
    const [oldest] = this.#halfSeen;
    if (this.#halfSeen.size > LIMIT && oldest !== undefined) this.#halfSeen.delete(oldest);
    return false;
  }
}
