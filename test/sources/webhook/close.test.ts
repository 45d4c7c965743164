/** The end of a receiver: what is under way is finished, what comes then is sent elsewhere or later. */
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { until } from '../../until.js';
import { eventList, gate, open, post } from './posting.js';

const BODY = eventList(3);

test('a batch that is being stored is answered, and its connection ends', async () => {
  const storing = gate();
  const { webhook } = await open({ store: () => storing.passed });
  const answer = post(webhook.url, { body: BODY, agent: new Agent({ keepAlive: true }) });
  await until(() => webhook.counters.heldBytes > 0, 'the batch is there');
  const closed = webhook.close(5_000);
  storing.pass();
  const { status, headers } = await answer;
  expect({ status, connection: headers.connection }).toEqual({ status: 200, connection: 'close' });
  await closed;
  await expect(post(webhook.url, { body: BODY })).rejects.toThrow('ECONNREFUSED');
});

test('a body that is still coming is taken', async () => {
  const { webhook, stored } = await open();
  const socket = connect(Number(new URL(webhook.url).port), '127.0.0.1');
  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n`;
  let said = '';
  socket.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
  });
  socket.write(head + BODY.slice(0, 20));
  await until(() => webhook.counters.heldBytes === 20, 'its beginning is there');
  const closed = webhook.close(5_000);
  socket.write(BODY.slice(20));
  await closed;
  await until(() => said !== '', 'there is an answer');
  expect(said).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
  expect(stored).toHaveLength(1);
});

test('a new batch on a connection that is open is answered 503', async () => {
  const storing = gate();
  const { webhook } = await open({ store: () => storing.passed });
  const socket = connect(Number(new URL(webhook.url).port), '127.0.0.1');
  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n`;
  let said = '';
  socket.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
  });
  socket.write(head + BODY + head.slice(0, 30));
  await until(() => webhook.counters.heldBytes > 0, 'the first is there');
  const closed = webhook.close(5_000);
  socket.write(head.slice(30) + BODY);
  await until(() => webhook.counters.answers[503] === 1, 'the second is refused');
  storing.pass();
  await closed;
  expect(webhook.counters).toMatchObject({ batches: 1, answers: { 200: 1, 503: 1 } });
  await until(() => said !== '', 'the first is answered');
  expect(said).toMatch(/^HTTP\/1\.1 200 /);
});

test('idle connections and a store that hangs do not keep it from ending', async () => {
  const { webhook } = await open({ store: () => new Promise(() => {}) });
  const agent = new Agent({ keepAlive: true });
  const idle = connect(Number(new URL(webhook.url).port), '127.0.0.1');
  idle.on('error', () => {});
  const answer = post(webhook.url, { body: BODY, agent });
  const lost = expect(answer).rejects.toThrow('socket hang up');
  await until(() => webhook.counters.heldBytes > 0, 'a batch is being stored');
  const begin = Date.now();
  await webhook.close(50);
  expect(Date.now() - begin).toBeLessThan(2_000);
  await lost;
  idle.destroy();
  agent.destroy();
});

test('an address in use is told with what to do', async () => {
  const { webhook } = await open();
  const port = Number(new URL(webhook.url).port);
  await expect(open({ listen: { host: '127.0.0.1', port } })).rejects.toThrow(
    `the audit webhook cannot be served at 127.0.0.1:${port}: another process listens there; give another port`,
  );
  await webhook.close(0);
});
