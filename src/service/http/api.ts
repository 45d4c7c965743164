/** The JSON endpoints: what each takes, and what it answers. */

import { type Answer, errorAnswer } from '../../http/answer.js';
import { SEVERITIES } from '../../model/finding.js';
import type { ServiceView } from '../view.js';
import { AnalysisAnswers, asJson } from './analysis-json.js';
import { type Known, readQuery } from './query.js';
import { requestsAnswer } from './requests-json.js';
import { statusAnswer } from './status-json.js';

export interface Endpoint {
  readonly parameters: Known;
  /** `values` holds known parameters only. */
  answer(values: ReadonlyMap<string, ReadonlySet<string>>): Answer;
}

const NONE: Known = {};

/** By path, each under `/api/v1/`. */
export function apiEndpoints(view: ServiceView): ReadonlyMap<string, (query: string) => Answer> {
  let latest: { of: object; answers: AnalysisAnswers } | undefined;
  const judged = (answer: (answers: AnalysisAnswers) => Answer): Answer => {
    const analysis = view.analysis();
    if (analysis === undefined) return notYet();
    if (latest?.of !== analysis) latest = { of: analysis, answers: new AnalysisAnswers(analysis) };
    return answer(latest.answers);
  };
  const endpoints: Readonly<Record<string, Endpoint>> = {
    status: { parameters: NONE, answer: () => asJson(statusAnswer(view)) },
    analysis: { parameters: NONE, answer: () => judged((answers) => answers.whole()) },
    servers: { parameters: NONE, answer: () => judged((answers) => answers.servers()) },
    discovery: { parameters: NONE, answer: () => judged((answers) => answers.discovery()) },
    requests: { parameters: NONE, answer: () => asJson(requestsAnswer(view.recentRequests())) },
    findings: {
      parameters: { severity: SEVERITIES, rule: undefined, server: undefined },
      answer: (values) =>
        judged((answers) =>
          answers.findings({
            severity: values.get('severity'),
            rule: values.get('rule'),
            server: values.get('server'),
          }),
        ),
    },
  };
  return new Map(
    Object.entries(endpoints).map(([name, { parameters, answer }]) => [
      `/api/v1/${name}`,
      (query: string) => {
        const values = readQuery(query, parameters);
        return 'status' in values ? values : answer(values);
      },
    ]),
  );
}

/** No empty list: that would read as health. */
function notYet(): Answer {
  const advice = 'the first judgement comes with the first records; /api/v1/status says what the service waits for';
  return errorAnswer(503, 'nothing has been judged yet', advice, { 'retry-after': '2' });
}
