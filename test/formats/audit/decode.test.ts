import { describe, expect, test } from '@jest/globals';
import {
  type AuditDecoder,
  createFastDecoder,
  createReferenceDecoder,
  MAX_DEPTH,
} from '../../../src/formats/audit/index.js';
import type { AuditEvent } from '../../../src/model/record.js';
import { allOf } from './agree.js';

const ID = '014c269b-7bc3-4340-8938-cc34b661c055';
const BASE = { auditID: ID, stage: 'ResponseComplete', requestURI: '/readyz', verb: 'get' };
const AT = Date.UTC(2026, 10, 30, 11, 18, 29) * 1000;

const whole = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'RequestResponse',
  auditID: ID,
  stage: 'ResponseComplete',
  requestURI: '/apis/batch/v1/namespaces/shop/jobs/nightly/status?a=1&b=<2>',
  verb: 'patch',
  user: {
    username: 'system:serviceaccount:kube-system:job-controller',
    uid: '8136faa4-d207-49e1-8159-95c3aeeaeb43',
    groups: ['system:serviceaccounts', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=1'] },
  },
  impersonatedUser: { username: 'alice', groups: ['dev'] },
  sourceIPs: ['203.0.113.9', '10.99.0.2'],
  userAgent: 'kube-controller-manager/v1.36.3',
  objectRef: {
    resource: 'jobs',
    namespace: 'shop',
    name: 'nightly',
    uid: 'f00',
    apiGroup: 'batch',
    apiVersion: 'v1',
    resourceVersion: '17',
    subresource: 'status',
  },
  responseStatus: {
    metadata: {},
    status: 'Failure',
    message: 'jobs "nightly" not found',
    reason: 'NotFound',
    code: 404,
  },
  requestObject: { text: 'a "quoted" \\ {brace} ] \u2028', list: [1, -2.5e3, true, null, { deep: [[]] }] },
  responseObject: [],
  requestReceivedTimestamp: '2026-11-30T11:18:29.883202Z',
  stageTimestamp: '2026-11-30T11:18:29.911150Z',
  annotations: { 'authorization.k8s.io/decision': 'allow', 'audit.k8s.io/truncated': 'true' },
};

describe.each([
  ['reference', createReferenceDecoder],
  ['fast', createFastDecoder],
])('the %s decoder', (_name, create: () => AuditDecoder) => {
  const decoder = create();
  const decode = (text: string | object) => {
    const bytes = Buffer.from(typeof text === 'string' ? text : JSON.stringify(text));
    return decoder.decode(bytes, 0, bytes.length, 3, 99);
  };
  /** Twice, since the second time repeated values come from memory. */
  const event = (text: string | object): AuditEvent => {
    const got = [decode(text), decode(text)] as AuditEvent[];
    expect(got[0]).toMatchObject({ type: 'audit' });
    expect(got.map(allOf)[1]).toEqual(got.map(allOf)[0]);
    return got[0] as AuditEvent;
  };

  test('reads every field of an event as kube-apiserver writes it', () => {
    const text = JSON.stringify(whole).replace(/[&<>]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
    const got = event(text);
    const { bytes, requestObject, responseObject } = got;
    const { requestObject: _request, responseObject: _response, ...fields } = allOf(got);
    expect(fields).toStrictEqual({
      type: 'audit',
      line: 3,
      offset: 99,
      start: 0,
      end: Buffer.byteLength(text),
      level: 'RequestResponse',
      stage: 'ResponseComplete',
      auditID: ID,
      requestURI: '/apis/batch/v1/namespaces/shop/jobs/nightly/status?a=1&b=<2>',
      verb: 'patch',
      username: 'system:serviceaccount:kube-system:job-controller',
      userUID: '8136faa4-d207-49e1-8159-95c3aeeaeb43',
      groups: 'system:serviceaccounts,system:authenticated',
      impersonated: 'alice',
      sourceIPs: '203.0.113.9,10.99.0.2',
      userAgent: 'kube-controller-manager/v1.36.3',
      resource: 'jobs',
      namespace: 'shop',
      name: 'nightly',
      apiGroup: 'batch',
      apiVersion: 'v1',
      subresource: 'status',
      code: 404,
      status: 'Failure',
      reason: 'NotFound',
      message: 'jobs "nightly" not found',
      receivedUs: AT + 883_202,
      timeUs: AT + 911_150,
      decision: 'allow',
      truncated: true,
    });
    const body = (range: typeof requestObject) => JSON.parse(bytes.toString('utf8', range?.start, range?.end));
    expect(body(requestObject)).toEqual(whole.requestObject);
    expect(body(responseObject)).toEqual([]);
  });

  test('gives the same whatever the order and spacing of the members', () => {
    const backwards = Object.fromEntries(Object.entries(whole).reverse());
    const places = { start: 0, end: 0, requestObject: 0, responseObject: 0 };
    const other = event(JSON.stringify(backwards, undefined, '\t'));
    expect({ ...allOf(other), ...places }).toEqual({ ...allOf(event(whole)), ...places });
  });

  test('leaves absent fields empty', () => {
    expect(event({ auditID: 'x', stage: 'Panic', verb: 'get' })).toMatchObject({
      level: 'None',
      requestURI: '',
      username: '',
      groups: '',
      sourceIPs: '',
      resource: '',
      code: 0,
      receivedUs: 0,
      timeUs: 0,
      truncated: false,
      requestObject: undefined,
      responseObject: undefined,
    });
  });

  test('keeps the events of a request apart when an earlier stage said something else', () => {
    const received: Record<string, unknown> = { ...whole, stage: 'RequestReceived' };
    for (const key of ['responseStatus', 'requestObject', 'responseObject', 'annotations']) delete received[key];
    const texts = [
      received,
      whole,
      { ...whole, objectRef: { resource: 'pods' } },
      { ...received, userAgent: 'other' },
      whole,
    ];
    const chunk = Buffer.from(texts.map((text) => `${JSON.stringify(text)}\n`).join(''));
    const got: AuditEvent[] = [];
    for (let start = 0; start < chunk.length; ) {
      const end = chunk.indexOf('\n', start);
      got.push(decoder.decode(chunk, start, end, 1, start) as AuditEvent);
      start = end + 1;
    }
    expect(got.map((one) => one.stage)).toEqual(texts.map((one) => one.stage));
    expect(got.map((one) => one.resource)).toEqual(['jobs', 'jobs', 'pods', 'jobs', 'jobs']);
    expect(got.map((one) => one.userAgent.slice(0, 5))).toEqual(['kube-', 'kube-', 'kube-', 'other', 'kube-']);
    expect(got.map((one) => one.code)).toEqual([0, 404, 404, 0, 404]);
  });

  test('reads rejected requests and bare statuses', () => {
    const rejected = { ...BASE, stage: 'ResponseStarted', user: {}, responseStatus: { metadata: {}, code: 401 } };
    expect(event({ ...rejected, userAgent: 'x'.repeat(99) })).toMatchObject({
      stage: 'ResponseStarted',
      username: '',
      code: 401,
      status: '',
      reason: '',
      message: '',
    });
  });

  test('reads items of an EventList and the older versions', () => {
    const alpha = {
      metadata: { creationTimestamp: '2017-09-11T19:55:05Z' },
      timestamp: '2017-09-11T19:55:06Z',
      ...BASE,
      objectRef: { resource: 'deployments', apiVersion: 'apps/v1beta1' },
    };
    const second = Date.UTC(2017, 8, 11, 19, 55, 5) * 1000;
    expect(event(alpha)).toMatchObject({ apiGroup: 'apps', apiVersion: 'v1beta1', timeUs: second + 1e6 });
    expect(event({ ...alpha, timestamp: undefined })).toMatchObject({ receivedUs: second, timeUs: second });
    expect(event({ ...alpha, stageTimestamp: '2017-09-11T19:55:08Z' }).timeUs).toBe(second + 3e6);
    const both = { ...BASE, objectRef: { apiGroup: 'apps', apiVersion: 'odd/v1' } };
    expect(event(both)).toMatchObject({ apiGroup: 'apps', apiVersion: 'odd/v1' });
  });

  test('reads times of one minute alike, and none that there is not', () => {
    const second = (text: string) => event({ ...BASE, stageTimestamp: `2026-11-30T11:18:${text}` }).timeUs;
    expect(second('29.000001Z')).toBe(AT + 1);
    expect(['59.999999Z', '00.000000Z', '29.5Z'].map(second)).toEqual([AT + 30_999_999, AT - 29_000_000, AT + 500_000]);
    expect(['60.000000Z', '2x.000000Z', '29.00000 Z', '29,000000Z'].map(second)).toEqual([0, 0, 0, 0]);
  });

  test('counts optional fields of the wrong type as absent', () => {
    const odd = {
      ...BASE,
      level: 1,
      user: 'root',
      groups: 1,
      sourceIPs: ['::1', 5, null, ['x'], '::2'],
      userAgent: { a: 1 },
      objectRef: [],
      responseStatus: { code: '200', message: 5 },
      requestReceivedTimestamp: 1,
      metadata: null,
      annotations: { 'audit.k8s.io/truncated': true },
      requestObject: null,
    };
    expect(event(odd)).toMatchObject({
      level: 'None',
      username: '',
      sourceIPs: '::1,::2',
      userAgent: '',
      resource: '',
      code: 0,
      message: '',
      truncated: false,
      requestObject: undefined,
    });
    expect(['200.5', '-0', '1e400', '1000', '2e2', '404.0'].map((code) => event(coded(code)).code)).toEqual([
      0, 0, 0, 0, 200, 404,
    ]);
  });

  test('lets the last of several equal keys count, also when it is of the wrong type', () => {
    expect(event(doubled('"verb":"list"')).verb).toBe('list');
    expect(event(doubled('"verb":7')).verb).toBe('');
    expect(event(doubled('"\\u0076erb":"watch"')).verb).toBe('watch');
    expect(event(doubled('"user":{"username":"a","uid":"1"},"user":{"username":"b","username":"c"}'))).toMatchObject({
      username: 'c',
      userUID: '',
    });
  });

  test('is not misled by __proto__', () => {
    const text = doubled(
      '"__proto__":{"auditID":"no","user":{"username":"no"}},"user":{"__proto__":{"username":"no"}}',
    );
    expect(event(text)).toMatchObject({ auditID: ID, username: '' });
    expect(decode('{"__proto__":{"auditID":"x","stage":"Panic","verb":"get"}}')).toBe('not-audit');
  });

  test('decodes escapes, surrogates and bytes that are not UTF-8 as JSON.parse and Buffer do', () => {
    const agent = (inner: string | Buffer) => {
      const bytes = Buffer.concat([
        Buffer.from('{"auditID":"x","stage":"Panic","verb":"get","userAgent":"'),
        Buffer.from(inner),
        Buffer.from('"}'),
      ]);
      return (decoder.decode(bytes, 0, bytes.length, 1, 0) as AuditEvent).userAgent;
    };
    expect(agent('\\"\\\\\\/\\b\\f\\n\\r\\t\\u0026')).toBe('"\\/\b\f\n\r\t&');
    expect(agent('\\ud83d\\ude00 \\uD800 ż😀')).toBe('😀 \ud800 ż😀');
    expect(agent(Buffer.from([0x61, 0xff, 0xe2, 0x82, 0x62]))).toBe('a\ufffd\ufffdb');
    expect(agent(`${'x'.repeat(9000)}\\u00e9`)).toBe(`${'x'.repeat(9000)}é`);
  });

  test('takes the text from between start and end alone', () => {
    const text = JSON.stringify(BASE);
    const bytes = Buffer.from(`junk ${text}\r\n{"more":1}`);
    expect(decoder.decode(bytes, 5, 5 + text.length + 1, 1, 0)).toMatchObject({ start: 5, end: 5 + text.length });
    expect(decoder.decode(bytes, 5, bytes.length, 1, 0)).toBe('not-json');
    expect(decoder.decode(bytes, 5, 4 + text.length, 1, 0)).toBe('cut-line');
  });

  test.each([
    ['', 'not-json'],
    ['I1130 11:18:29.883202       1 server.go:1] "x"', 'not-json'],
    ['\ufeff{}', 'not-json'],
    [doubled('"a":01'), 'not-json'],
    [doubled('"a":"\u0001"'), 'not-json'],
    [doubled('"a":"\\x"'), 'not-json'],
    [doubled('"a":tru'), 'not-json'],
    [`${doubled('"a":1')}x`, 'not-json'],
    [doubled('"a":1,'), 'not-json'],
    [doubled('"a":{"b" 1}'), 'not-json'],
    [doubled('"a":"\\u12'), 'not-json'],
    [doubled('"a":[1,').slice(0, -1), 'cut-line'],
    [doubled('"a":"x\\u1').slice(0, -1), 'cut-line'],
    [doubled('"a":-').slice(0, -1), 'cut-line'],
    ['{', 'cut-line'],
    ['{}', 'not-audit'],
    ['[1]', 'not-audit'],
    ['"text"', 'not-audit'],
    ['12', 'not-audit'],
    ['{"kind":"Event","apiVersion":"v1","reason":"Killing","count":1}', 'not-audit'],
    [JSON.stringify({ ...BASE, kind: 'Pod' }), 'not-audit'],
    [JSON.stringify({ ...BASE, auditID: 7 }), 'not-audit'],
    [JSON.stringify({ ...BASE, stage: 'Later' }), 'not-audit'],
    [JSON.stringify({ ...BASE, verb: 1, requestURI: 1 }), 'not-audit'],
    [doubled(`"a":${nested(MAX_DEPTH)}`), 'json-too-deep'],
    [doubled(`"a":${'['.repeat(MAX_DEPTH)}`), 'json-too-deep'],
    ['['.repeat(100_000), 'json-too-deep'],
  ])('says why %j is no event', (text, verdict) => {
    expect(decode(text)).toBe(verdict);
  });

  test.each(['{"verb?":1}', '{"verb":"get?"}', '{"user":{"username":"a long name ?"}}', '{"other":["?"]}'])(
    'judges every byte and every escape in the place of ? in %s as JSON.parse does',
    (text) => {
      for (let byte = 0; byte < 256; byte++) {
        for (const inner of [[byte], [0x5c, byte], [0x5c, 0x75, 0x30, 0x30, byte, 0x30]]) {
          const [before = '', after = ''] = text.split('?');
          const bytes = Buffer.concat([Buffer.from(before), Buffer.from(inner), Buffer.from(after)]);
          const got = decoder.decode(bytes, 0, bytes.length, 1, 0);
          expect([inner, got === 'not-audit']).toEqual([inner, parses(bytes.toString('utf8'))]);
        }
      }
    },
  );

  test('takes the deepest nesting that is allowed', () => {
    expect(event(doubled(`"requestObject":${nested(MAX_DEPTH - 1)}`)).auditID).toBe(ID);
  });
});

function doubled(members: string): string {
  return `${JSON.stringify(BASE).slice(0, -1)},${members}}`;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function coded(code: string): string {
  return doubled(`"responseStatus":{"code":${code}}`);
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}
