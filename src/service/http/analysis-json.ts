/** What was judged last, as JSON texts: made once for each analysis, however many ask. */

import { type Answer, jsonAnswer } from '../../http/answer.js';
import type { Analysis } from '../../model/analysis.js';
import { type AnalysisResult, escapeJson, toResult } from '../../report/index.js';

export interface FindingFilter {
  readonly severity?: ReadonlySet<string> | undefined;
  readonly rule?: ReadonlySet<string> | undefined;
  readonly server?: ReadonlySet<string> | undefined;
}

/** Answers about one analysis. Lists hold what the same lists of `skewscope.analysis/v1` hold. */
export class AnalysisAnswers {
  readonly #result: AnalysisResult;
  readonly #made = new Map<string, Answer>();

  constructor(analysis: Analysis) {
    this.#result = toResult(analysis);
  }

  /** The whole contract object. */
  whole(): Answer {
    return this.#once('whole', () => this.#result);
  }

  servers(): Answer {
    return this.#once('servers', ({ window, clusters, servers }) => ({ window, clusters, servers }));
  }

  discovery(): Answer {
    return this.#once('discovery', ({ window, discovery }) => ({ window, discovery }));
  }

  /** `server`: findings about it, or about calls that it makes or gets. */
  findings(filter: FindingFilter): Answer {
    const { window, findings, unjudged } = this.#result;
    const wanted = findings.filter(
      ({ severity, rule, server, edges }) =>
        (filter.severity?.has(severity) ?? true) &&
        (filter.rule?.has(rule) ?? true) &&
        (filter.server === undefined ||
          [server, ...edges.flatMap(({ source, destination }) => [source, destination])].some(
            (name) => name !== null && filter.server?.has(name),
          )),
    );
    return asJson({ window, findings: wanted, unjudged });
  }

  #once(what: string, pick: (result: AnalysisResult) => object): Answer {
    const known = this.#made.get(what);
    if (known !== undefined) return known;
    const answer = asJson(pick(this.#result));
    this.#made.set(what, answer);
    return answer;
  }
}

export function asJson(value: object): Answer {
  return jsonAnswer(`${escapeJson(JSON.stringify(value))}\n`);
}
