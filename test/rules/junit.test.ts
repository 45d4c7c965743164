import { describe, expect, it } from '@jest/globals';
import { toJUnit } from '../../src/rules/junit.js';

describe('toJUnit', () => {
  it('escapes everything and counts what failed', () => {
    const xml = toJUnit({
      rules: [
        {
          id: 'some-rule',
          file: 'a&b.yaml',
          tests: [
            { name: 'finds <it>', line: 7, kind: 'positive', failures: [] },
            { name: 'silent', line: 9, kind: 'negative', failures: ['got "x"\u001b', 'and <y>'] },
          ],
          problems: ['has no such test'],
          coverage: undefined,
        },
      ],
      passed: 1,
      failed: 1,
      ok: false,
    });
    expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="skewscope rules" tests="3" failures="2">
  <testsuite name="some-rule" tests="3" failures="2" file="a&amp;b.yaml">
    <testcase classname="some-rule" name="finds &lt;it&gt;" file="a&amp;b.yaml" line="7"/>
    <testcase classname="some-rule" name="silent" file="a&amp;b.yaml" line="9">
      <failure message="got &quot;x&quot;\ufffd">got &quot;x&quot;\ufffd&#10;and &lt;y&gt;</failure>
    </testcase>
    <testcase classname="some-rule" name="has no such test" file="a&amp;b.yaml" line="1">
      <failure message="the rule has no such test">the rule has no such test</failure>
    </testcase>
  </testsuite>
</testsuites>
`);
  });
});
