import { expect, test } from '@jest/globals';
import { doubtful } from '../../../src/config/check/doubtful.js';
import { parseConfig } from '../../../src/config/parse-config.js';

const NOW_MS = Date.parse('2026-01-05T00:00:00Z');

function remarks(rest: string, from = 'latest') {
  const text = `kafka: {brokers: ["kafka-1:9092"], topics: [audit], from: ${from}}\n${rest}`;
  return doubtful(parseConfig(text, 'skew.yaml'), NOW_MS).map(({ level, path }) => [level, path.join('.')]);
}

test.each([
  ['', '2026-01-05T00:00:01Z', 'kafka.from'],
  ['service: {readyLag: 100h, window: 1h}', 'latest', 'service.readyLag'],
  ['outputs: {metrics: {listen: 8080}}', 'latest', 'outputs.metrics.listen'],
])('%s from %s is hardly meant', (rest, from, path) => {
  expect(remarks(rest, from)).toEqual([['warning', path]]);
});

test.each([
  ['', '2026-01-04T23:59:59Z'],
  ['service: {readyLag: 1h, window: 1h}', '2h'],
  ['outputs: {metrics: {listen: 9464}}', 'earliest'],
  ['outputs: {metrics: {listen: 0}}\nlisten: {admin: 0}', 'latest'],
])('%s from %s is', (rest, from) => {
  expect(remarks(rest, from)).toEqual([]);
});

test('a file that says nothing is told of, one that says a little is not', () => {
  const paths = (text: string) => doubtful(parseConfig(text, 'skew.yaml'), NOW_MS).map(({ path }) => path);
  expect(paths('')).toEqual([[]]);
  expect(paths('listen: {}')).toEqual([[]]);
  for (const text of [
    'failOn: info',
    'cluster: a',
    'rules: {disable: [proxy-slow]}',
    'servers: {a: b}',
    'outputs: {}',
  ]) {
    expect(paths(text)).toEqual([]);
  }
});
