import { expect, test } from '@jest/globals';
import { judgeAnswer } from '../../../src/outputs/delivery/http-answer.js';

function judge(status: number, body = '', retryAfter?: string) {
  return judgeAnswer({ status, body, retryAfter }, 'host:1', 0);
}

test.each([200, 201, 202, 204])('%d is taken', (status) => {
  expect(judge(status, 'ok')).toEqual({ outcome: 'delivered', answer: `host:1: HTTP ${status}` });
});

test.each([408, 429, 500, 502, 503, 504, 599])('%d is tried again', (status) => {
  expect(judge(status, 'busy')).toMatchObject({ outcome: 'retry', reason: `host:1: HTTP ${status}: busy` });
});

test.each([301, 302, 307, 400, 401, 403, 404, 410, 413, 422])('%d is turned down', (status) => {
  expect(judge(status).outcome).toBe('refused');
});

test('a wish to wait is passed on and told', () => {
  expect(judge(429, '', '7')).toEqual({
    outcome: 'retry',
    reason: 'host:1: HTTP 429 (asks to wait 7 s)',
    answered: false,
    afterMs: 7_000,
  });
});

test('only errors of the receiver itself can be about one message', () => {
  expect(judge(500)).toMatchObject({ answered: true });
  expect(judge(429)).toMatchObject({ answered: false });
});

test('what is quoted of an answer is bounded', () => {
  const result = judge(400, 'x'.repeat(2_000));
  expect(result.outcome === 'refused' && result.reason.length).toBeLessThan(250);
});

test('some have advice', () => {
  expect(judge(401)).toMatchObject({ reason: 'host:1: HTTP 401; the credentials are missing or wrong' });
  expect(judge(308)).toMatchObject({ reason: 'host:1: HTTP 308; redirects are not followed, give the final URL' });
});
