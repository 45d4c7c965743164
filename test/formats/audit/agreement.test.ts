import { describe, test } from '@jest/globals';
import fc from 'fast-check';
import { createFastDecoder } from '../../../src/formats/audit/index.js';
import { agree, agreeOnLines } from './agree.js';
import { damage, eventMembers, eventText, type Json, render, spelling } from './arbitraries.js';

/** One decoder for all runs of a property: what it remembers from one text must not change what it says of the next. */
describe('the two decoders agree', () => {
  test('on events of any order, spacing, spelling and type', () => {
    const fast = createFastDecoder();
    fc.assert(
      fc.property(fc.array(eventText, { minLength: 1, maxLength: 4 }), (texts) => {
        agreeOnLines(
          fast,
          [...texts, ...texts].map((text) => Buffer.from(text)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('on the stages of one request, whatever differs between them', () => {
    const fast = createFastDecoder();
    const change = fc.tuple(fc.nat(), fc.nat(2), spelling);
    fc.assert(
      fc.property(eventMembers, fc.uuid(), fc.array(change, { minLength: 2, maxLength: 4 }), (members, id, changes) => {
        const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete'];
        const texts = changes.map(([where, how, seed], index) =>
          render({ members: staged(members, id, stages[index % 3] as string, where, how) }, how === 0 ? 0 : seed),
        );
        agreeOnLines(
          fast,
          texts.map((text) => Buffer.from(text)),
        );
      }),
      { numRuns: 300 },
    );
  });

  test('on damaged events, and on the same event before and after', () => {
    const fast = createFastDecoder();
    fc.assert(
      fc.property(eventText, fc.array(damage, { minLength: 1, maxLength: 4 }), (text, damages) => {
        const sound = Buffer.from(text);
        agreeOnLines(fast, [sound, ...damages.map((apply) => apply(sound)), sound]);
      }),
      { numRuns: 600 },
    );
  });

  test('on every cut of an event', () => {
    const fast = createFastDecoder();
    fc.assert(
      fc.property(eventText, (text) => {
        const bytes = Buffer.from(text);
        for (let end = 0; end <= bytes.length; end++) agree(fast, bytes, 0, end);
      }),
      { numRuns: 6 },
    );
  });

  test('on random bytes and random JSON-like text', () => {
    const fast = createFastDecoder();
    const scrap = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '.5',
      'e9',
      'true',
      'null',
      ' ',
      '\\u00',
    );
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 64 }).map((list) => Buffer.from(list)),
      fc.array(scrap, { maxLength: 24 }).map((list) => Buffer.from(list.join(''))),
      fc.json().map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        agree(fast, input);
      }),
      { numRuns: 2000 },
    );
  });
});

/** The members in the usual order with the ID and stage set, and one of them changed, dropped or doubled. */
function staged(members: [string, Json][], id: string, stage: string, where: number, how: number): [string, Json][] {
  const head: [string, Json][] = [
    ['kind', 'Event'],
    ['apiVersion', 'audit.k8s.io/v1'],
    ['level', 'Metadata'],
    ['auditID', id],
    ['stage', stage],
  ];
  const rest = members.filter(([key]) => !head.some(([known]) => known === key));
  const chosen = rest[where % Math.max(1, rest.length)];
  if (chosen === undefined || how === 0) return [...head, ...rest];
  const changed: [string, Json][] = rest.flatMap((member) =>
    member === chosen ? (how === 1 ? [] : [member, [member[0], 'changed'] as [string, Json]]) : [member],
  );
  return [...head, ...changed];
}
