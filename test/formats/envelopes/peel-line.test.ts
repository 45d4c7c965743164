import { describe, expect, it } from '@jest/globals';
import { peelLine } from '../../../src/formats/envelopes/peel-line.js';

const peel = (text: string, known?: string) => {
  const bytes = Buffer.from(text);
  const peeled = peelLine(
    bytes,
    0,
    bytes.length,
    known === undefined ? undefined : (_, shapes) => shapes.join() === known,
  );
  if (peeled === undefined) return undefined;
  const { start, facts, shapes, isPiece, isSure } = peeled;
  const said = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== ''));
  return { rest: bytes.toString('utf8', start), said, shapes, isPiece, isSure };
};
const KLOG = 'I0105 03:04:05.120001       1 a.go:1] x';

describe('peelLine', () => {
  it.each(['{"a":1}', KLOG, 'text', '', ' \tindented {"a":1}', 'two words', '2026-01-05T03:04:05Z text', 'a: b'])(
    'finds no prefix of %j',
    (text) => {
      expect(peel(text)).toBeUndefined();
    },
  );

  it('takes the prefixes of several tools off one line', () => {
    expect(peel('x/audit.log:[pod/p/c] 2026-01-05T03:04:05.5Z {"a":1}')).toEqual({
      rest: '{"a":1}',
      said: { file: 'x/audit.log', pod: 'p', component: 'c', time: '2026-01-05T03:04:05.5Z' },
      shapes: ['grep', 'kubectl prefix', 'time'],
      isPiece: false,
      isSure: true,
    });
  });

  it('is sure of prefixes that are like nothing else, and of log headers', () => {
    expect(peel('[pod/p/c] text')).toMatchObject({ rest: 'text', isSure: true });
    expect(peel('cp-1 {"a":1}')).toMatchObject({ rest: '{"a":1}', isSure: false, said: { host: 'cp-1' } });
    expect(peel(`cp-1 ${KLOG}`)).toMatchObject({ rest: KLOG, isSure: true });
  });

  it('takes any text behind prefixes that are known', () => {
    expect(peel('2026-01-05T03:04:05Z text', 'time')).toMatchObject({ rest: 'text', isSure: true });
    expect(peel('2026-01-05T03:04:05Z 2026-01-05T03:04:05Z AUDIT: x', 'time')).toMatchObject({
      rest: '2026-01-05T03:04:05Z AUDIT: x',
    });
    expect(peel('2026-01-05T03:04:05Z text', 'stern')).toBeUndefined();
  });

  it('tells pieces and their ends, with any content or none', () => {
    expect(peel('2026-01-05T03:04:05Z stdout P half')).toMatchObject({
      rest: 'half',
      isPiece: true,
      said: { stream: 'stdout' },
    });
    expect(peel('2026-01-05T03:04:05+01:00 stderr F:x other half')).toMatchObject({
      rest: 'other half',
      isPiece: false,
    });
    expect(peel('2026-01-05T03:04:05Z stdout F ')).toMatchObject({ rest: '', isPiece: false });
    expect(peel('2026-01-05T03:04:05Z stdout F')).toMatchObject({ rest: '', isPiece: false });
  });

  it('reads names beyond ASCII as UTF-8', () => {
    expect(peel('żółć/a.log:{"a":1}')).toMatchObject({ said: { file: 'żółć/a.log' } });
  });
});
