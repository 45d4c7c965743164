/**
 * Answers of 503 and 504 one by one, with path and exact times: a request that could not be passed on is found again by
 * them in the process log, whose error lines do not say whose they are.
 */
import type { AuditEvent } from '../../model/record.js';
import { canonicalURI } from '../../model/resource.js';
import { SECOND } from '../../model/time.js';
import { isEndpointMissing, isFailedHop } from '../serving/outcomes.js';
import type { Life } from '../writer.js';

/** The first so many of a life, and of all; what comes later is counted elsewhere, without its calls. */
const EACH = 2_000;
const ALL = 50_000;
/** Of paths that are compared. */
export const PATH_LIMIT = 512;

/** From a request's receipt to its call line: authentication, authorization, and waiting for its turn. */
export const UNTIL_CALL = SECOND;
/** Requests that came in so close to each other may have each other's calls. */
const BESIDE = 2 * UNTIL_CALL;

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
  /** By stretches of time, of all lives: the parts of a request may stand in two files, each with a life of its own. */
  readonly #pathsAt = new Map<number, Set<string>>();
  #count = 0;

  /** Takes the final answer to a request for a resource, if it looks like one of a failed hop. */
  take(event: AuditEvent, life: Life, resource: number): void {
    if ((event.code !== 503 && event.code !== 504) || !isFailedHop(event)) return;
    const known = this.#byLife.get(life) ?? [];
    this.#byLife.set(life, known);
    if (known.length >= EACH || this.#count >= ALL) return;
    this.#count += 1;
    const path = pathOf(event.requestURI);
    const receivedUs = event.receivedUs || event.timeUs;
    const stretch = Math.floor(receivedUs / BESIDE);
    this.#pathsAt.set(stretch, (this.#pathsAt.get(stretch) ?? new Set<string>()).add(path));
    known.push({
      life,
      resource,
      path,
      receivedUs,
      doneUs: event.timeUs,
      endpointMissing: isEndpointMissing(event),
    });
  }

  /** The path of a request if one of the same path that came in about then failed; undefined otherwise. */
  besideOf(uri: string, receivedUs: number): string | undefined {
    if (this.#count === 0) return undefined;
    const at = Math.floor(receivedUs / BESIDE);
    const near = [at - 1, at, at + 1].flatMap((stretch) => this.#pathsAt.get(stretch) ?? []);
    if (near.length === 0) return undefined;
    const path = pathOf(uri);
    return near.some((known) => known.has(path)) ? path : undefined;
  }

  of(life: Life): readonly FailedAnswer[] {
    return this.#byLife.get(life) ?? [];
  }
}

function pathOf(uri: string): string {
  const mark = uri.indexOf('?');
  return canonicalURI(mark < 0 ? uri : uri.slice(0, mark)).slice(0, PATH_LIMIT);
}
