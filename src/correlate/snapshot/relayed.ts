/** Answers that a boot only handed back: its pairs show those of a peer whose log is here, its own log those of any peer. */
import { SECOND } from '../../model/time.js';
import type { State } from '../cluster-correlator.js';
import type { PairTotal } from '../requests/pair-totals.js';
import { TimeHistogram } from '../time-histogram.js';
import type { ProxiedPair } from './pairs-view.js';
import type { Boot } from './server-view.js';
import type { Serving } from './serving.js';

/** A request waits in queues before it is passed on, and its line says when that was. */
const QUEUED = 10 * SECOND;

/** Who passes requests on knows what its peers serve, and goes on knowing it for so long. */
const AROUND = 30 * SECOND;

/** 404s of one boot for one resource that a destination gave. */
export interface RelayedNotFound {
  readonly times: TimeHistogram;
  /** Exact times of some: of each stretch as many of the earliest as quotes are kept of it. */
  readonly at: ReadonlySet<number>;
}

export class Relayed {
  readonly #pairs = new Map<Boot, Map<string, PairTotal[]>>();
  readonly #inStep = new Map<Boot, boolean>();

  constructor(
    private readonly state: State,
    private readonly serving: Serving,
    pairs: readonly ProxiedPair[],
  ) {
    for (const { total } of pairs) {
      const boot = serving.bootOf(total.source);
      if (boot === undefined) continue;
      const byResource = this.#pairs.get(boot) ?? new Map<string, PairTotal[]>();
      this.#pairs.set(boot, byResource);
      const resource = state.resources.name(total.resource);
      byResource.set(resource, [...(byResource.get(resource) ?? []), total]);
    }
  }

  notFound(boot: Boot, resource: string): RelayedNotFound {
    const times = new TimeHistogram();
    const at = new Set<number>();
    for (const { sourceNotFound, sourceNotFoundAt } of this.#of(boot, resource)) {
      times.merge(sourceNotFound);
      for (const timeUs of sourceNotFoundAt?.list() ?? []) at.add(timeUs);
    }
    return { times, at };
  }

  /**
   * How many requests that came in that time (microseconds) were passed on, by the boot's log, without an arrival or a
   * failure that is known: so many of its bare answers may be those of a peer whose log is not here.
   */
  unexplained(boot: Boot, resource: string, from: number, to: number): number {
    const [start, end] = [from - SECOND, to + QUEUED];
    const calls = this.#calls(boot, resource, { first: from, last: to });
    if (calls === 0) return 0;
    let explained = this.serving.failures(boot, resource).reduce((sum, times) => sum + times.between(start, end), 0);
    // A pair that failed stands among the failures too.
    for (const { times, sourceFailed } of this.#of(boot, resource))
      explained += times.between(start, end) - sourceFailed.between(start, end);
    return Math.max(0, calls - explained);
  }

  /** Whether the boot passed on requests for the resource shortly before the time (microseconds) and shortly after it. */
  passesOnAround(boot: Boot, resource: string, from: number, to: number): boolean {
    const all = this.#of(boot, resource).map(({ times }) => times);
    return all.some((times) => isShortlyBefore(times, from)) && all.some((times) => isShortlyAfter(times, to));
  }

  /** Whether the boot's log would show what it passed on then: call lines are of severity I. */
  isLogged(boot: Boot, timeUs: number): boolean {
    if (this.state.passedOn.overflow > 0 || !this.#isInStep(boot)) return false;
    return boot.lives.some(
      ({ writer, from, to }) =>
        writer.infos > 0 && !writer.mixed && writer.audit === 0 && from <= timeUs && timeUs <= to,
    );
  }

  /** The log may keep another time, and then shows no call where the audit log shows pairs. */
  #isInStep(boot: Boot): boolean {
    const known = this.#inStep.get(boot);
    if (known !== undefined) return known;
    const pairs = [...(this.#pairs.get(boot) ?? [])].flatMap(([resource, totals]) =>
      totals.map(({ times }) => ({ resource, times })),
    );
    const inStep = pairs.length === 0 || pairs.some(({ resource, times }) => this.#calls(boot, resource, times) > 0);
    this.#inStep.set(boot, inStep);
    return inStep;
  }

  #calls(boot: Boot, resource: string, { first, last }: { readonly first: number; readonly last: number }): number {
    const called = boot.lives.map(
      (life) => this.state.passedOn.of(life, resource)?.between(first - SECOND, last + QUEUED) ?? 0,
    );
    return called.reduce((sum, count) => sum + count, 0);
  }

  #of(boot: Boot, resource: string): readonly PairTotal[] {
    return this.#pairs.get(boot)?.get(resource) ?? [];
  }
}

/** The bucket of the time itself tells nothing, but the first and the last one are known to the microsecond. */
function isShortlyBefore(times: TimeHistogram, timeUs: number): boolean {
  const { first, width } = times;
  return (first < timeUs && first >= timeUs - AROUND) || times.between(timeUs - AROUND, timeUs - width) > 0;
}

function isShortlyAfter(times: TimeHistogram, timeUs: number): boolean {
  const { last, width } = times;
  return (last > timeUs && last <= timeUs + AROUND) || times.between(timeUs + width, timeUs + AROUND) > 0;
}
