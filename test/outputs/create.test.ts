import { readdirSync } from 'node:fs';
import { createServer } from 'node:https';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { OutputsConfig } from '../../src/config/config.js';
import { openOutputs } from '../../src/outputs/create.js';
import { systemClock } from '../../src/outputs/delivery/clock.js';
import { type Output, OutputError } from '../../src/outputs/output.js';
import { tryOutputs } from '../../src/outputs/trial.js';
import { makeFolder } from '../sources/folder.js';
import { makeCertificates } from './delivery/certificates.js';
import { batch, finding, within } from './delivery/examples.js';
import { answer, Receiver } from './delivery/receiver.js';

let folder: ReturnType<typeof makeFolder>;
let receiver: Receiver;
let outputs: Output[];
let messages: string[];
let closing: (() => Promise<void>)[];
beforeEach(async () => {
  outputs = [];
  messages = [];
  closing = [];
  folder = makeFolder({ token: 't0ken-from-file\n', 'not-pem': 'hello' });
  receiver = await Receiver.start();
});
afterEach(async () => {
  await Promise.all(outputs.map((output) => output.close()));
  for (const close of closing) await close();
  await receiver.stop();
  folder.drop();
});

const env: Record<string, string> = { KEY: 'R0UTINGKEY', BROKEN: 'line\nbreak' };

async function open(config: Omit<OutputsConfig, 'folder'>, trial = false): Promise<Output[]> {
  const hook = { HOOK: `${receiver.url}/services/s3cret` };
  outputs = await openOutputs(
    { ...config, folder: folder.path },
    {
      env: { ...env, ...hook },
      continuous: false,
      clock: systemClock,
      onMessage: (message) => messages.push(message),
      writeStdout: async () => {},
      trial,
    },
  );
  return outputs;
}

test('every kind, with names and folders in the spool', async () => {
  const { url, port } = receiver;
  const names = (
    await open({
      spool: { dir: 'spool' },
      alertmanager: [{ urls: [url] }, { urls: [url, 'http://127.0.0.1:1'], labels: { team: 'a' }, remind: 1_000 }],
      webhook: [{ url, signingKey: 'fromEnv:KEY' }],
      slack: [{ url: 'fromEnv:HOOK' }],
      pagerduty: [{ routingKey: 'fromEnv:KEY', url, name: 'night' }],
      ndjson: [{ path: 'out.ndjson' }, { path: '-' }],
      kafka: [{ brokers: ['127.0.0.1:1'], topic: 'findings' }],
    })
  ).map(({ name }) => name);
  expect(names).toEqual([
    `alertmanager 127.0.0.1:${port}`,
    `alertmanager-2 127.0.0.1:${port}, 127.0.0.1:1`,
    `webhook 127.0.0.1:${port}`,
    `slack 127.0.0.1:${port}`,
    `night 127.0.0.1:${port}`,
    `ndjson ${folder.path}/out.ndjson`,
    'ndjson-2 standard output',
    'kafka findings',
  ]);
  expect(readdirSync(`${folder.path}/spool`).sort()).toEqual([
    'alertmanager',
    'alertmanager-2',
    'kafka',
    'ndjson',
    'ndjson-2',
    'night',
    'slack',
    'webhook',
  ]);
});

test('what waits for an output that is configured no more is told', async () => {
  receiver.behaviour = answer(500);
  const spool = { dir: 'spool' };
  const [output] = await open({ spool, webhook: [{ url: receiver.url, name: 'old' }] });
  await output?.deliver(batch('opened', [finding()]), within(100));
  await output?.close();
  await open({ spool, webhook: [{ url: receiver.url }] });
  expect(messages).toEqual([expect.stringContaining(`messages wait in ${folder.path}/spool/old for an output`)]);
});

test('TLS with a CA and a client certificate from files', async () => {
  const certificates = makeCertificates();
  closing.push(async () => certificates.drop());
  const { ca, server } = certificates;
  const secure = await Receiver.start(answer(200), 0, (listener) =>
    createServer({ ...server, ca, requestCert: true, rejectUnauthorized: true }, listener),
  );
  closing.push(() => secure.stop());
  const tls = {
    ca: `${certificates.folder}/ca.crt`,
    cert: `${certificates.folder}/client.crt`,
    key: `${certificates.folder}/client.key`,
  };
  const [output] = await open({ webhook: [{ url: `https://127.0.0.1:${secure.port}`, tls }] });
  expect(await output?.deliver(batch('opened', [finding()]), within(5_000))).toMatchObject({ delivered: 1 });
});

test('headers and tokens come from where they are kept, and no answer brings them out', async () => {
  receiver.behaviour = (request, response, count) =>
    answer(403, `you are ${request.headers.authorization}`)(request, response, count);
  const [output] = await open({
    webhook: [{ url: receiver.url, bearerToken: 'fromFile:token', headers: { 'x-a': 'b' } }],
  });
  const report = await output?.deliver(batch('opened', [finding()]), within(5_000));
  expect(receiver.requests[0]?.headers).toMatchObject({ authorization: 'Bearer t0ken-from-file', 'x-a': 'b' });
  expect(report?.refused[0]?.reason).toContain('you are Bearer ***');
});

describe('what cannot work is told before anything is read, without secrets', () => {
  test.each<[Omit<OutputsConfig, 'folder'>, string]>([
    [{ webhook: [{ url: 'fromEnv:NONE' }] }, 'the environment variable NONE is not set'],
    [{ webhook: [{ url: 'fromEnv:KEY' }] }, 'what fromEnv:KEY leads to is no http or https URL'],
    [
      { webhook: [{ url: 'http://x', bearerToken: 'fromEnv:BROKEN' }] },
      'the value of header authorization holds line breaks',
    ],
    [{ webhook: [{ url: 'https://x', tls: { ca: 'none.pem' } }] }, 'none.pem: no such file'],
    [{ webhook: [{ url: 'https://x', tls: { ca: 'not-pem' } }] }, 'not-pem: no certificate or key in PEM form'],
    [{ webhook: [{ url: 'https://x', tls: { cert: 'not-pem' } }] }, 'a client certificate needs its key'],
    [
      { webhook: [{ url: 'http://x', name: 'a' }], slack: [{ url: 'fromEnv:HOOK', name: 'a' }] },
      'two outputs are called a',
    ],
    [{ spool: { dir: 'token/spool' }, webhook: [{ url: 'http://x' }] }, 'cannot be used'],
  ])('%j', async (config, message) => {
    const opened = open(config);
    await expect(opened).rejects.toThrow(OutputError);
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.not.toThrow(/R0UTINGKEY|s3cret|t0ken/);
  });
});

test('a trial sends one marked alert to each, whatever its severity, and keeps nothing', async () => {
  const dead = await Receiver.start(answer(500, 'broken'));
  closing.push(() => dead.stop());
  const all = await open(
    {
      spool: { dir: 'spool' },
      alertmanager: [{ urls: [receiver.url], minSeverity: 'critical' }],
      slack: [{ url: 'fromEnv:HOOK' }],
      webhook: [{ url: dead.url }],
    },
    true,
  );
  const results = await tryOutputs(all, { clock: systemClock, withinMs: 400, resolve: true });
  expect(results.map(({ ok, words }) => [ok, words])).toEqual([
    [true, 'HTTP 200; resolved: HTTP 200'],
    [false, 'HTTP 500: broken'],
    [true, 'HTTP 200; resolved: HTTP 200'],
  ]);
  expect(receiver.requests.length).toBe(4);
  for (const { body } of receiver.requests) expect(body).toContain('Test alert of skewscope: nothing is wrong');
  expect(readdirSync(folder.path).sort()).toEqual(['not-pem', 'token']);
});
