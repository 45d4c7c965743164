import { afterEach, describe, expect, it } from '@jest/globals';
import type { KafkaProducer, OutgoingMessage } from '../../src/kafka/port.js';
import { KafkaFailure } from '../../src/kafka/port.js';
import { systemClock } from '../../src/outputs/index.js';
import { openReceiver, type Receiver } from '../../src/service/receiver.js';
import { linesOf } from './audit-lines.js';

const [EVENT] = linesOf('wrong-peer-ca');
const BODY = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${EVENT?.text}]}`;
let receiver: Receiver | undefined;
afterEach(async () => {
  await receiver?.close(0);
  receiver = undefined;
});

async function open(serverHeaders: string[] = [], deadLetters: string | undefined = 'dead') {
  const sent: { topic: string; message: OutgoingMessage | undefined }[] = [];
  const state = { failure: undefined as Error | undefined, closed: false };
  const producer: KafkaProducer = {
    async send(topic, [message]) {
      if (topic !== 'dead' && state.failure !== undefined) throw state.failure;
      sent.push({ topic, message });
    },
    sendAtomically: async () => {},
    close: async () => {
      state.closed = true;
    },
  };
  const messages: string[] = [];
  receiver = await openReceiver({
    config: {
      address: { host: '127.0.0.1', port: 0 },
      tls: undefined,
      token: undefined,
      topic: 'audit',
      maxInFlightBytes: 1_000_000,
      maxBodyBytes: 100_000,
    },
    access: {},
    sender: { serverHeaders, clusterHeaders: [], key: 'auto', topic: undefined },
    deadLetters,
    producer,
    clock: systemClock,
    onMessage: (text) => messages.push(text),
  });
  const base = new URL(receiver.url).origin;
  const post = async (path: string, body = BODY) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(base + path, { method: 'POST', body, headers });
    return response.status;
  };
  return { post, sent, state, messages };
}

describe('the audit webhook of the service', () => {
  it('writes a batch under the name of its server, as the service will read it, and answers then', async () => {
    const { post, sent } = await open(['x-node']);
    expect(await post('/audit/v1/prod-1/cp1')).toBe(200);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject({
      topic: 'audit',
      message: { key: 'cp1', headers: { 'x-node': 'cp1', 'x-cluster': 'prod-1' } },
    });
    expect(String(sent[0]?.message?.value)).toBe(BODY);
  });

  it('asks the apiserver to come again while Kafka takes nothing', async () => {
    const { post, sent, state } = await open();
    state.failure = new KafkaFailure('no broker', true);
    expect(await post('/audit/v1/prod-1/cp1')).toBe(503);
    expect(sent).toEqual([]);
    state.failure = undefined;
    expect(await post('/audit/v1/prod-1/cp1')).toBe(200);
  });

  it('puts aside what cannot be read and holds events, with the reason', async () => {
    const { post, sent, messages } = await open();
    expect(await post('/audit/v1/prod-1/cp1', BODY.slice(0, -20))).toBe(200);
    expect(sent.map(({ topic }) => topic)).toEqual(['dead']);
    expect(String(sent[0]?.message?.value)).toBe(BODY.slice(0, -20));
    expect(sent[0]?.message?.headers).toMatchObject({
      'x-server': 'cp1',
      'skewscope-topic': 'audit',
      'skewscope-reason': expect.stringMatching(/./),
    });
    expect(messages.join()).toMatch(/from cp1 is .*set aside/);
  });

  it('ends with its producer', async () => {
    const { state } = await open();
    await receiver?.close(0);
    expect(state.closed).toBe(true);
  });
});
