import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkEventList } from '../../../src/sources/webhook/event-list.js';
import { eventList } from './posting.js';

const check = (text: string) => checkEventList(Buffer.from(text));
const list = (items: string) => `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":${items}}`;

describe('a body', () => {
  test.each([
    ['as an apiserver writes it', eventList(3), 3],
    ['of v1beta1', eventList(2, { version: 'v1beta1' }), 2],
    ['without events', list('[]'), 0],
    ['with items that are null', list('null'), 0],
    ['without items', '{"kind":"EventList","apiVersion":"audit.k8s.io/v1"}', 0],
    ['with its kind behind its items', '{"items":[{}],"apiVersion":"audit.k8s.io/v1","kind":"EventList"}', 1],
    ['written for people', `\n${JSON.stringify(JSON.parse(eventList(4)), null, 2)}\n`, 4],
    ['with brackets and quotes in its texts', list('[{"a":"]},{\\"auditID\\""},{"b":[[1],[2]]}]'), 2],
  ])('%s is a list', (_what, text, events) => {
    expect(check(text)).toEqual({ events });
  });

  test.each([
    ['empty', '', 'no JSON', 0],
    ['cut', eventList(5).slice(0, -20), 'no JSON', 5],
    ['with something behind it', `${eventList(1)}{}`, 'no JSON', 1],
    ['with a comma too many', list('[{},]'), 'no JSON', 0],
    ['with a bare word', list('[{"auditID":oops}]'), 'no JSON', 1],
    ['nested too deep', list(`[{"a":${'['.repeat(600)}${']'.repeat(600)}}]`), 'nested deeper', 0],
    ['an array', '[]', 'no EventList', 0],
    ['a text', '"EventList"', 'no EventList', 0],
    ['a list of the core group', '{"kind":"EventList","apiVersion":"v1","items":[]}', 'no EventList', 0],
    ['of a version that is gone', eventList(1, { version: 'v1alpha1' }), 'no EventList', 1],
    ['a single event', '{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"a"}', 'no EventList', 1],
    [
      'a review of another webhook',
      '{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1"}',
      'no EventList',
      0,
    ],
    ['with items that are an object', list('{"auditID":"a"}'), 'items are no array', 1],
    ['with an item that is a number', list('[{"auditID":"a"},1]'), 'an item is no object', 1],
    [
      'with items twice',
      '{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[],"items":[{}]}',
      'items twice',
      0,
    ],
  ])('%s is none', (_what, text, reason, auditIDs) => {
    expect(check(text)).toEqual({ reason: expect.stringContaining(reason), auditIDs });
  });

  test('is JSON exactly when JSON.parse takes it', () => {
    const json = fc.json({ maxDepth: 6 }).chain((text) =>
      fc.record({
        text: fc.constant(list(`[{"a":${text}}]`)),
        at: fc.nat(),
        byte: fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '0', '-', ' ', 'e', '\n'),
        keep: fc.boolean(),
      }),
    );
    fc.assert(
      fc.property(json, ({ text, at, byte, keep }) => {
        const place = at % (text.length + 1);
        const damaged = text.slice(0, place) + byte + text.slice(place + (keep ? 0 : 1));
        const result = check(damaged);
        const refusedAsJson = 'reason' in result && result.reason.startsWith('no JSON');
        expect(refusedAsJson).toBe(!isJson(damaged));
      }),
      { numRuns: 2000 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
