/** Random audit events as JSON text: in the order of kube-apiserver or any other, with odd spacing, escapes, types and damage. */
import fc from 'fast-check';

/** A JSON text in parts, so that duplicate keys and the spelling of strings can be chosen. */
export type Json = string | number | boolean | null | Json[] | { members: [string, Json][] };

const word = fc.oneof(
  fc.constantFrom(
    '',
    'pods',
    'kube-system',
    'apps/v1',
    'v1',
    'true',
    'a"b\\c',
    'zażółć',
    '😀',
    '\ud800',
    '\u0000',
    '&<>',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ maxLength: 60 }),
);
const uuid = fc.uuid();
const time = fc.oneof(
  fc.nat(69).map((second) => `2026-11-30T11:18:${String(second).padStart(2, '0')}.250000Z`),
  fc
    .integer({ min: 1_700_000_000_000, max: 1_700_000_200_000 })
    .map((ms) => new Date(ms).toISOString().replace('Z', '123Z')),
  fc.constantFrom(
    '2026-11-30T11:18:29Z',
    '2026-02-30T00:00:00Z',
    '2022-11-29 00:09:04.38',
    '2026-11-30T11:18:61.000000Z',
  ),
  fc.constantFrom('2026-11-30T11:18:29.1234567+02:00', '0001-01-01T00:00:00Z', '2026-11-30T11:18:2x.000000Z', 'null'),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    word,
    fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.constantFrom(true, false, null),
    fc.array(tie('json'), { maxLength: 3 }),
    fc
      .array(fc.tuple(word, tie('json')), { maxLength: 3 })
      .map((members) => ({ members: members as [string, Json][] })),
  ) as fc.Arbitrary<Json>,
}));

/** Mostly the value that belongs there. */
const mostly = <T extends Json>(usual: fc.Arbitrary<T>): fc.Arbitrary<Json> =>
  fc.oneof({ weight: 12, arbitrary: usual as fc.Arbitrary<Json> }, { weight: 1, arbitrary: json });

const objectOf = (fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Json> =>
  membersOf(fields).map((members) => ({ members }));

function membersOf(fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<[string, Json][]> {
  const all = Object.entries(fields).map(([key, value]) =>
    fc.option(mostly(value), { freq: 5, nil: undefined }).map((got) => ({ key, got })),
  );
  const known = fc
    .tuple(...all)
    .map((list) => list.flatMap(({ key, got }) => (got === undefined ? [] : [[key, got] as [string, Json]])));
  const extra = fc.array(
    fc.tuple(fc.oneof(word, fc.constantFrom('__proto__', 'constructor', ...Object.keys(fields))), json),
    {
      maxLength: 2,
    },
  );
  return fc
    .tuple(known, fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: extra }), fc.nat(4))
    .chain(([members, more, order]) => {
      const list = [...members, ...(more as [string, Json][])];
      return order === 0 ? fc.shuffledSubarray(list, { minLength: list.length }) : fc.constant(list);
    });
}

const user = objectOf({
  username: fc.oneof(word, fc.constantFrom('system:apiserver', 'system:node:worker-1', 'kubernetes-admin')),
  uid: word,
  groups: fc.array(mostly(fc.constantFrom('system:masters', 'system:authenticated')), { maxLength: 3 }),
  extra: json,
});

const fields: Record<string, fc.Arbitrary<Json>> = {
  kind: fc.constantFrom('Event', 'Event', 'Event', 'EventList', ''),
  apiVersion: fc.constantFrom('audit.k8s.io/v1', 'audit.k8s.io/v1beta1'),
  level: fc.constantFrom('Metadata', 'Request', 'RequestResponse', 'None'),
  auditID: fc.oneof(uuid, fc.constantFrom('014c269b-7bc3-4340-8938-cc34b661c055', 'mine', '')),
  stage: fc.constantFrom('RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'),
  requestURI: fc.oneof(word, fc.constantFrom('/readyz', '/apis/apps/v1/deployments?limit=500&watch=true')),
  verb: fc.constantFrom('get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'post'),
  user,
  impersonatedUser: user,
  sourceIPs: fc.array(mostly(fc.constantFrom('::1', '10.99.0.1', '10.99.0.2')), { maxLength: 3 }),
  userAgent: fc.oneof(word, fc.constant('kube-apiserver/v1.36.3 (linux/amd64) kubernetes/0123456')),
  objectRef: objectOf({
    resource: word,
    namespace: word,
    name: word,
    uid: word,
    apiGroup: word,
    apiVersion: word,
    resourceVersion: word,
    subresource: word,
  }),
  responseStatus: objectOf({
    metadata: fc.constant({ members: [] }),
    status: fc.constantFrom('Failure', 'Success'),
    message: word,
    reason: fc.constant('NotFound'),
    details: json,
    code: fc.oneof(fc.constantFrom(200, 404, 0, 12, 99, 100, 999, 1000, -1, 200.5), fc.integer({ min: 100, max: 599 })),
  }),
  requestObject: json,
  responseObject: json,
  requestReceivedTimestamp: time,
  stageTimestamp: time,
  timestamp: time,
  metadata: objectOf({ creationTimestamp: time }),
  annotations: objectOf({
    'authorization.k8s.io/decision': fc.constantFrom('allow', 'forbid'),
    'authorization.k8s.io/reason': word,
    'audit.k8s.io/truncated': fc.constantFrom('true', 'false'),
  }),
};

/** The members of an event, most of them there, most of the right type, mostly in the order of kube-apiserver. */
export const eventMembers: fc.Arbitrary<[string, Json][]> = membersOf(fields);

/** How the text is spelled: 0 is compact as kube-apiserver writes it, any other number seeds a choice. */
export const spelling: fc.Arbitrary<number> = fc.oneof(fc.constant(0), fc.integer({ min: 1 }));

/** The JSON text of an event. */
export const eventText: fc.Arbitrary<string> = fc
  .tuple(eventMembers, spelling)
  .map(([members, seed]) => render({ members }, seed));

/** JSON text of the parts in the spelling that the seed chooses. */
export function render(value: Json, seed: number): string {
  let state = seed;
  const roll = (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % sides;
  };
  const space = () => (seed === 0 ? '' : (['', '', ' ', '\t', '\r\n', '  \n '][roll(6)] as string));
  const text = (chars: string) =>
    seed === 0 || roll(2) === 0
      ? goText(chars)
      : `"${[...Array(chars.length).keys()].map((at) => spell(chars.charAt(at), roll(4))).join('')}"`;
  const write = (part: Json): string => {
    if (typeof part === 'string') return text(part);
    if (part === null || typeof part !== 'object') return JSON.stringify(part);
    const items = Array.isArray(part)
      ? part.map(write)
      : part.members.map(([key, item]) => `${text(key)}${space()}:${space()}${write(item)}`);
    const body = items.map((item) => space() + item + space()).join(',');
    return Array.isArray(part) ? `[${body}]` : `{${body}}`;
  };
  return space() + write(value) + space();
}

/** As Go writes it: `&<>` escaped. */
function goText(chars: string): string {
  return JSON.stringify(chars).replace(/[&<>]/g, unicodeEscape);
}

function spell(char: string, choice: number): string {
  if (choice === 0) return unicodeEscape(char);
  if (choice === 1 && char === '/') return '\\/';
  return JSON.stringify(char).slice(1, -1);
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Changes to a text's bytes: edits, cuts, insertions and runs of NUL. */
export const damage: fc.Arbitrary<(bytes: Buffer) => Buffer> = fc
  .array(
    fc.record({
      how: fc.constantFrom('set', 'insert', 'remove', 'cut', 'nul'),
      where: fc.nat(),
      byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('"\\{}[],:0-.eEtfnu \n'))),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((steps) => (bytes: Buffer) => steps.reduce(damaged, bytes));

function damaged(bytes: Buffer, step: { how: string; where: number; byte: number }): Buffer {
  const at = step.where % (bytes.length + 1);
  const before = bytes.subarray(0, at);
  if (step.how === 'cut') return Buffer.from(before);
  const gone = step.how === 'insert' ? 0 : step.how === 'nul' ? 5 : 1;
  const fresh = step.how === 'remove' ? [] : step.how === 'nul' ? [0, 0, 0, 0, 0] : [step.byte];
  return Buffer.concat([before, Buffer.from(fresh), bytes.subarray(Math.min(bytes.length, at + gone))]);
}
