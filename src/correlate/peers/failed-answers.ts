/**
 * Answers of 503 and 504 one by one, with path and exact times: a request that could not be passed on is found again by
 * them in the process log, whose error lines do not say whose they are.
 */
import type { AuditEvent } from '../../model/record.js';
import { canonicalURI } from '../../model/resource.js';
import { isEndpointMissing, isFailedHop } from '../serving/outcomes.js';
import type { Life } from '../writer.js';

/** The first so many of a life, and of all; what comes later is counted elsewhere, without its calls. */
const EACH = 2_000;
const ALL = 50_000;
/** Of paths that are compared. */
export const PATH_LIMIT = 512;

export interface FailedAnswer {
  readonly life: Life;
  /** Of the resource table. */
  readonly resource: number;
  /** Decoded, as call lines have it, without the query, at most 512 characters. */
  readonly path: string;
  readonly receivedUs: number;
  readonly doneUs: number;
  /** The peers that have the resource had no endpoint entry: nobody was called. */
  readonly endpointMissing: boolean;
}

export class FailedAnswers {
  readonly #byLife = new Map<Life, FailedAnswer[]>();
  #count = 0;

  /** Takes the final answer to a request for a resource, if it looks like one of a failed hop. */
  take(event: AuditEvent, life: Life, resource: number): void {
    if ((event.code !== 503 && event.code !== 504) || !isFailedHop(event)) return;
    const known = this.#byLife.get(life) ?? [];
    this.#byLife.set(life, known);
    if (known.length >= EACH || this.#count >= ALL) return;
    this.#count += 1;
    known.push({
      life,
      resource,
      path: canonicalURI(pathOf(event.requestURI)).slice(0, PATH_LIMIT),
      receivedUs: event.receivedUs || event.timeUs,
      doneUs: event.timeUs,
      endpointMissing: isEndpointMissing(event),
    });
  }

  of(life: Life): readonly FailedAnswer[] {
    return this.#byLife.get(life) ?? [];
  }
}

function pathOf(uri: string): string {
  const mark = uri.indexOf('?');
  return mark < 0 ? uri : uri.slice(0, mark);
}
