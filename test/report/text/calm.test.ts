import { expect, test } from '@jest/globals';
import { CAPABILITIES, type Capability } from '../../../src/model/analysis.js';
import { renderText } from '../../../src/report/text/index.js';
import { analysis, finding } from '../example.js';

const HOUR = 3_600_000_000;
const START = Date.UTC(2026, 0, 2, 8) * 1000;
const recorded = { from: START, to: START + HOUR };

function headline(fields: Parameters<typeof analysis>[0]): string {
  const text = renderText(analysis({ findings: [], unjudged: [], ...fields }), { color: false, width: 120 });
  return text.slice(0, text.indexOf('Looked at')).replaceAll('\n', ' ').trim();
}

function without(...capabilities: Capability[]) {
  return capabilities.map((capability, at) => ({ rule: `rule-${at}`, reason: `x; ${CAPABILITIES[capability]}` }));
}

test('complete logs without a finding are healthy', () => {
  expect(headline({})).toBe('No problem found: nothing at warning or above.');
  expect(headline({ unjudged: without('flags', 'controller-requests') })).toMatch(
    /^No problem found: .* 2 rules could/,
  );
});

test('the log of one server alone says nothing of the others', () => {
  const servers = analysis().servers.slice(0, 1);
  expect(headline({ servers, unjudged: without('process-log', 'two-servers') })).toBe(
    'Nothing wrong is visible in these logs, but they are of one server (cp1) and cannot show what servers did to each ' +
      'other; 2 rules could not be judged. Give the audit logs and the process logs of all kube-apiservers together.',
  );
});

test.each([
  ['audit', 'without audit logs'],
  ['process-log', 'without process logs'],
  ['all-process-logs', 'the process log of at least one server is missing'],
  ['peer-discovery-audit', 'the audit policy leaves out requests for /api and /apis'],
] as [Capability, string][])('what is missing is named: %s', (capability, words) => {
  const text = headline({ unjudged: without(capability) });
  expect(text).toContain(`Nothing wrong is visible in these logs, but ${words}`);
  expect(text).toContain('1 rule could not be judged.');
});

test('logs of nobody known are not called missing', () => {
  const inputs = analysis().inputs.map((input) => ({ ...input, server: null }));
  expect(headline({ inputs, unjudged: without('audit') })).toMatch(
    /but whose they are cannot be told; 1 rule could not be judged\. Give one log for each/,
  );
});

test('where all of it came from Kafka, advice names what its configuration has, and no flag', () => {
  const inputs = analysis().inputs.map((input) => ({ ...input, kind: 'kafka', server: null }));
  const text = headline({ inputs, unjudged: without('audit') });
  expect(text).toMatch(/in a header, the key or the topic of each message, and say in kafka\.server which/);
  expect(text).not.toContain('--');
});

test('records of no server were not judged', () => {
  expect(headline({ servers: [], unjudged: without('audit', 'two-servers') })).toMatch(
    /^Nothing could be judged: these records show no kube-apiserver; 2 rules could not be judged\. Give /,
  );
});

test('a time without records is told first, with the time that the logs reach over', () => {
  const all = analysis({ findings: [], leftOut: { records: 3000, kept: 0, recorded }, servers: [], window: null });
  const text = renderText(all, { color: false, width: 120 });
  expect(text.split('\n').slice(0, 4)).toStrictEqual([
    'Nothing could be judged: no record lies in the time that was asked for.',
    'The logs reach from 2026-01-02 08:00:00 to 09:00:00 UTC (1 h 00 min). A time such as 2h counts back from now, not from',
    'the end of the logs.',
    'Looked at 0 of 3,000 records in 2 inputs; no server known.',
  ]);
  expect(text).not.toContain('Not judged');
  const noted = [finding({ rule: 'server-log-missing', severity: 'info' })];
  expect(renderText({ ...all, findings: noted }, { color: false, width: 120 })).not.toContain('server-log-missing');
});

test('404 answers that nobody can judge are told beside health', () => {
  const notFound = [{ server: 'cp1', resource: 'jobs.batch/v1', kind: 'undecided' as const, count: 3, clients: [] }];
  expect(headline({ notFound })).toMatch(
    /^No problem found: .*\. 3 answers of 404 may have been wrong; the records do not/,
  );
  const text = renderText(analysis({ notFound }), { color: false, width: 120 });
  expect(text).toContain('  undecided = a server has the API in these records');
});

test('few of the records do not stand for all', () => {
  expect(headline({ leftOut: { records: 2990, kept: 10, recorded } })).toMatch(
    /^Nothing wrong is visible in the 10 of 3,000 records that lie in the time that was asked for\. The logs reach from /,
  );
  expect(headline({ leftOut: { records: 1000, kept: 2000, recorded } })).toMatch(/^No problem found/);
});
