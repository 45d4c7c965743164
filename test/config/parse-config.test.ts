import { describe, expect, test } from '@jest/globals';
import { NO_CONFIG } from '../../src/config/config.js';
import { ConfigError, parseConfig } from '../../src/config/parse-config.js';

function mistakesOf(text: string): string[] {
  try {
    parseConfig(text, 'skew.yaml');
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  throw new Error('no mistake was found');
}

describe('parseConfig', () => {
  test('reads every key', () => {
    const text = `
rules:
  dirs: [mine, /etc/rules]
  disable: [proxy-slow]
  severity: {wrong-not-found: critical}
servers:
  cp1: [logs/cp1/*, cp1-*]
  cp2: cp2-*
failOn: critical
cluster: prod
`;
    expect(parseConfig(text, 'conf/skew.yaml')).toEqual({
      rules: {
        dirs: ['conf/mine', '/etc/rules'],
        disable: ['proxy-slow'],
        severity: { 'wrong-not-found': 'critical' },
      },
      servers: [
        { name: 'cp1', glob: 'logs/cp1/*' },
        { name: 'cp1', glob: 'cp1-*' },
        { name: 'cp2', glob: 'cp2-*' },
      ],
      failOn: 'critical',
      cluster: 'prod',
    });
  });

  test.each(['', '# nothing\n', '---\n', '{}'])('nothing is needed: %j', (text) => {
    expect(parseConfig(text, 'skew.yaml')).toEqual(NO_CONFIG);
  });

  test('all mistakes are named at once, each with its place and what was probably meant', () => {
    const text = 'failon: warning\nrules:\n  dir: [x]\n  severity:\n    proxy-slow: warn\n  disable: proxy-slow\n';
    expect(mistakesOf(text).sort()).toEqual([
      'skew.yaml:1:1: unknown key "failon"; did you mean failOn?',
      'skew.yaml:3:3: unknown key "dir"; did you mean dirs?',
      'skew.yaml:5:17: `rules.severity.proxy-slow` is "warn", which is not one of info, warning, critical',
      'skew.yaml:6:12: `rules.disable` must be a list',
    ]);
  });

  test.each([
    [
      'failOn: warnin',
      'skew.yaml:1:9: `failOn` is "warnin", which is not one of info, warning, critical, never; did you mean warning?',
    ],
    ['colour: blue', 'skew.yaml:1:1: unknown key "colour"; known: rules, servers, failOn, cluster'],
    ['- a\n- b', 'skew.yaml:1:1: the file must be a mapping'],
    ['cluster: 7', 'skew.yaml:1:10: `cluster` must be text'],
    ['cluster: ""', 'skew.yaml:1:11: `cluster` is empty; leave it out or give a value'],
    [
      'servers:\n  cp1: {a: b}',
      'skew.yaml:2:8: `servers.cp1` must be a glob or a list of globs, as in ["logs/cp1/*", "cp1-*"]',
    ],
    [
      `servers:\n  cp1: "${'{a,b}'.repeat(12)}"`,
      `skew.yaml:2:9: the braces of ${'{a,b}'.repeat(12)} spell out more than 1000 patterns; use * instead`,
    ],
  ])('%j', (text, message) => {
    expect(mistakesOf(text)).toEqual([message]);
  });

  test('text that is no YAML has a place too', () => {
    expect(mistakesOf('rules: [a\nfailOn: "')[0]).toMatch(/^skew\.yaml:\d+:\d+: /);
    expect(mistakesOf('a: 1\na: 2')[0]).toMatch(/^skew\.yaml:2:1: /);
  });

  test('a file that is far too large is refused before it is parsed', () => {
    expect(mistakesOf('#'.repeat(300_000))).toEqual([
      'skew.yaml: larger than 256 KiB; is this the configuration file?',
    ]);
  });
});
