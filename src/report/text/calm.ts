/** The headline where nothing was found: health only where the records could have shown the opposite. */
import { type Analysis, CAPABILITIES, type Capability, type LeftOut } from '../../model/analysis.js';
import { groupDigits, type Page, type Paint, plural } from './page.js';

export interface Calm {
  readonly headline: string;
  readonly paint: Paint;
  /** Sentences: what remains open, and what to give or do. */
  readonly rest: readonly string[];
}

/** A smaller share of the records says nothing about the whole. */
const FEW = 0.1;

export function calm(page: Page, analysis: Analysis): Calm {
  const { inputs, servers, leftOut } = analysis;
  const doubtful = (headline: string, ...rest: string[]) => ({ headline, paint: page.doubtful, rest });
  if (inputs.every(({ records }) => records === 0)) {
    return doubtful(`Nothing could be judged: no usable record in ${plural(inputs.length, 'input')}.`);
  }
  if (leftOut !== undefined && leftOut.kept === 0) {
    return doubtful('Nothing could be judged: no record lies in the time that was asked for.', reach(page, leftOut));
  }
  const open = unjudged(analysis);
  if (servers.length === 0) {
    return doubtful(
      `Nothing could be judged: these records show no kube-apiserver${open}.`,
      ...afterwards(analysis),
      ALL,
    );
  }
  if (lacks(analysis, 'audit') && inputs.some(({ server, records }) => server === null && records > 0)) {
    return doubtful(
      `Nothing wrong is visible in these logs, but whose they are cannot be told${open}.`,
      inputs.every(({ kind }) => kind === 'kafka') ? NAME_SENDERS : NAME_LOGS,
      ...afterwards(analysis),
    );
  }
  const gap = GAPS.find(({ capability }) => lacks(analysis, capability));
  if (gap !== undefined) {
    const [only] = servers;
    const cannot = gap.cannot(servers.length === 1 && only !== undefined ? only.name : '');
    return doubtful(`Nothing wrong is visible in these logs, but ${cannot}${open}.`, gap.give, ...afterwards(analysis));
  }
  if (leftOut !== undefined && leftOut.kept < FEW * (leftOut.kept + leftOut.records)) {
    const all = groupDigits(leftOut.kept + leftOut.records);
    return doubtful(
      `Nothing wrong is visible in the ${groupDigits(leftOut.kept)} of ${all} records that lie in the time that was asked for.`,
      reach(page, leftOut),
      ...afterwards(analysis),
    );
  }
  const rules = count(analysis);
  return {
    headline: 'No problem found: nothing at warning or above.',
    paint: page.good,
    rest: [
      ...afterwards(analysis),
      ...(rules > 0 ? [`${plural(rules, 'rule')} could not be judged from these records: see the last section.`] : []),
    ],
  };
}

interface Gap {
  readonly capability: Capability;
  /** What stands after "Nothing wrong is visible in these logs, but"; `server` is '' when there are several. */
  readonly cannot: (server: string) => string;
  readonly give: string;
}

const NAME_LOGS = 'Give one log for each kube-apiserver, or say whose it is with --server NAME=GLOB.';
const NAME_SENDERS =
  'Let collectors name the kube-apiserver in a header, the key or the topic of each message, and say in kafka.server which.';
const ALL = 'Give the audit logs and the process logs of all kube-apiservers together.';
/** What is missing, the worst first; what a healthy control plane rarely writes is not among it. */
const GAPS: readonly Gap[] = [
  {
    capability: 'two-servers',
    cannot: (server) =>
      `they are of one server${server === '' ? '' : ` (${server})`} and cannot show what servers did to each other`,
    give: ALL,
  },
  {
    capability: 'audit',
    cannot: () => 'without audit logs they cannot show wrong 404 answers and what came of them',
    give: 'Give the audit logs of all kube-apiservers as well.',
  },
  {
    capability: 'process-log',
    cannot: () => 'without process logs they cannot show all calls that failed between servers',
    give: 'Give the process logs of all kube-apiservers as well.',
  },
  {
    capability: 'all-process-logs',
    cannot: () => 'the process log of at least one server is missing, with the calls of it that failed',
    give: 'Give the process logs of all kube-apiservers.',
  },
  {
    capability: 'peer-discovery-audit',
    cannot: () => 'the audit policy leaves out requests for /api and /apis, so that they cannot show peer discovery',
    give: 'Log these requests at level Metadata.',
  },
];

function lacks({ unjudged }: Analysis, capability: Capability): boolean {
  return unjudged.some(({ reason }) => reason.includes(CAPABILITIES[capability]));
}

function count({ unjudged }: Analysis): number {
  return new Set(unjudged.map(({ rule }) => rule)).size;
}

function unjudged(analysis: Analysis): string {
  const rules = count(analysis);
  return rules > 0 ? `; ${plural(rules, 'rule')} could not be judged` : '';
}

function reach(page: Page, { recorded }: LeftOut): string {
  const span = recorded === null ? '' : `The logs reach from ${page.clock.span(recorded.from, recorded.to)}. `;
  return `${span}A time such as 2h counts back from now, not from the end of the logs.`;
}

function afterwards({ findings, notFound }: Analysis): string[] {
  const undecided = notFound.reduce((sum, { kind, count }) => (kind === 'undecided' ? sum + count : sum), 0);
  return [
    ...(undecided > 0
      ? [`${plural(undecided, 'answer')} of 404 may have been wrong; the records do not decide it: see “404 answers”.`]
      : []),
    ...(findings.length > 0 ? [`${plural(findings.length, 'thing')} worth knowing below.`] : []),
  ];
}
