import { describe, expect, it } from '@jest/globals';
import { readMetricLine } from '../../../src/formats/documents/metrics.js';

const read = (text: string, inExposition = true) => readMetricLine(text, inExposition, 1, 0);

describe('readMetricLine', () => {
  it('reads samples of the families that matter, with labels and escapes', () => {
    const sample = read('apiserver_rerouted_request_total{code="200",peer="a\\"b\\\\c\\nd",} 12 1700000000000');
    expect(sample).toMatchObject({ type: 'metric', name: 'apiserver_rerouted_request_total', value: 12 });
    expect(typeof sample === 'object' && [...sample.labels]).toEqual([
      ['code', '200'],
      ['peer', 'a"b\\c\nd'],
    ]);
    expect(read('aggregator_discovery_nopeer_requests_total 2.6e+01')).toMatchObject({ value: 26 });
    expect(read('aggregator_discovery_x -Inf')).toMatchObject({ value: Number.NEGATIVE_INFINITY });
    expect(read('aggregator_discovery_x NaN')).toMatchObject({ value: Number.NaN });
  });

  it('knows comments and other families', () => {
    expect(read('# HELP x y')).toBe('comment');
    expect(read('apiserver_request_total{code="200"} 5', false)).toBe('other-family');
    expect(read('go_goroutines 5', true)).toBe('other-family');
  });

  it('refuses text that is no sample', () => {
    expect(read('restarted 5', false)).toBeUndefined();
    expect(read('some words here', true)).toBeUndefined();
    expect(read('kubernetes_build_info{a="b} 1')).toBeUndefined();
    expect(read('kubernetes_build_info{a="b"')).toBeUndefined();
    expect(read('# a comment of other kind')).toBeUndefined();
  });
});
