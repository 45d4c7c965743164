/** The program in the hands of an operator: starting, stopping, reloading, looking at it, posting to it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { makeCerts, SERVER_NAME } from '../kafka/certs.js';
import { USER } from '../kafka/settings.js';
import { KafkaOfTests, withKafka } from '../kafka/setup.js';
import { EventReceiver } from './event-receiver.js';
import { recentLines, type Sent, send } from './lines.js';
import { ServiceFolder } from './program.js';

const LINES = recentLines('wrong-peer-ca', 3_600_000);
const NOWHERE = '127.0.0.1:9';

withKafka('the program', () => {
  const on = new KafkaOfTests({ secure: true });
  const drops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const drop of drops.splice(0).reverse()) await drop();
  });

  const configOf = (topic: string, more = '', brokers = String(on.broker.brokers), kafka = '') => `
kafka: {brokers: ["${brokers}"], topics: [${topic}], group: ${topic}, from: earliest${kafka}}
service: {drain: 10s}
listen: {admin: "127.0.0.1:0"}
${more}
`;

  function folderOf(config: string): ServiceFolder {
    const folder = new ServiceFolder();
    drops.push(() => folder.drop());
    folder.configure(config);
    return folder;
  }

  async function sendLines(topic: string, lines: readonly Sent[]): Promise<void> {
    const producer = on.plain().producer();
    await producer.connect();
    try {
      await send(producer, topic, lines);
    } finally {
      await producer.disconnect();
    }
  }

  test('waits for a Kafka that is away, says so, and ends when it is told to', async () => {
    const program = folderOf(configOf('away', '', NOWHERE)).start();
    await program.said(/consuming as group away: .*connection refused; is it running/);
    expect((await program.get('/livez')).status).toBe(200);
    expect(await program.get('/readyz')).toEqual({
      status: 503,
      body: expect.stringMatching(/given no partitions yet/),
    });
    const asked = Date.now();
    expect(await program.stop()).toBe(0);
    expect(Date.now() - asked).toBeLessThan(8_000);
    expect(program.log.at(-1)?.msg).toBe('the service has ended before it joined the group');
  });

  test('ends with 3 and what to do when its credentials are wrong, which no message shows', async () => {
    const password = 'not-the-password';
    const sasl = `, sasl: {mechanism: scram-sha-512, username: ${USER}, password: fromEnv:PASSWORD}`;
    const folder = folderOf(configOf('wrong', '', String(on.broker.sasl), sasl));
    const program = folder.start({ env: { PASSWORD: password } });
    expect(await program.ended).toBe(3);
    expect(program.text).toMatch(/check the mechanism, the user and the password or token/);
    expect(program.text).not.toContain(password);
  });

  test('is alive at once and ready when it has joined; tells the lag of what it reads', async () => {
    await on.broker.createTopic('ready', 3);
    await sendLines('ready', LINES.slice(0, 300));
    const program = folderOf(configOf('ready')).start();
    await program.url();
    expect((await program.get('/livez')).status).toBe(200);
    await program.until('ready', async () => (await program.get('/readyz')).status === 200);
    await program.live(300);
    const metrics = (await program.get('/metrics')).body;
    const lags = metrics.split('\n').filter((line) => line.startsWith('skewscope_kafka_lag_messages{'));
    expect(lags).toHaveLength(3);
    for (const lag of lags) expect(lag).toMatch(/topic="ready"/);
    expect((await program.get('/')).body).toContain('<html');
    expect(program.warnings).toEqual([]);
    expect(program.log.map(({ msg }) => msg).join('\n')).toMatch(/reads ready of 127.*reads ready\/0 to 2/s);
    expect(await program.stop()).toBe(0);
  });

  test('waits for a topic that is not there yet', async () => {
    const program = folderOf(configOf('later')).start();
    await program.said(/no topic "later" is there yet, or this user may not see it/);
    expect((await program.get('/readyz')).status).toBe(503);
    expect(await program.stop()).toBe(0);
  });

  test('drains and commits on SIGTERM within its time; a second one ends it at once', async () => {
    await on.broker.createTopic('drain', 3);
    await sendLines('drain', LINES);
    const receiver = await EventReceiver.start();
    drops.push(() => receiver.stop());
    const folder = folderOf(configOf('drain', `outputs: {webhook: [{url: "${receiver.url}"}]}`));
    const program = folder.start();
    await program.live(LINES.length);
    expect(await program.stop()).toBe(0);
    expect(program.log.at(-1)?.msg).toBe('the service has ended');
    // What was judged at the end has arrived.
    expect(receiver.open.length).toBeGreaterThan(1);
    expect(await on.kafka.committed('drain', ['drain'])).toHaveLength(3);

    receiver.away = true;
    const hanging = new ServiceFolder();
    drops.push(() => hanging.drop());
    hanging.configure(configOf('drain', `outputs: {webhook: [{url: "${receiver.url}"}]}`).replace('10s', '60s'));
    const second = hanging.start();
    await second.until('it is turned away', () => receiver.turnedAway > 0);
    second.child.kill('SIGTERM');
    await second.until('it is stopping', async () => (await second.get('/readyz')).body.includes('stopping'));
    await sleep(300);
    expect(second.child.exitCode).toBeNull();
    const asked = Date.now();
    second.child.kill('SIGTERM');
    expect(await second.ended).toBeNull();
    // Of the sixty seconds that it has.
    expect(Date.now() - asked).toBeLessThan(5_000);
  });

  test('takes other rules and outputs on SIGHUP, and keeps the old ones when the new have a mistake', async () => {
    await on.broker.createTopic('reload', 3);
    await sendLines('reload', LINES);
    const receiver = await EventReceiver.start();
    drops.push(() => receiver.stop());
    const outputs = `outputs: {webhook: [{url: "${receiver.url}"}]}`;
    const folder = folderOf(configOf('reload', outputs));
    const program = folder.start();
    await program.live(LINES.length);
    const first = await program.until('something is told', () => receiver.told.find(({ rule }) => rule !== ''));
    const rules = async () =>
      (await program.json('/api/v1/findings')).findings.map(({ rule }: { rule: string }) => rule);
    expect(await rules()).toContain(first.rule);

    folder.configure('kafka: {brokers: []\n');
    program.child.kill('SIGHUP');
    await program.said(/the configuration is not taken, the old one goes on: /);
    expect((await program.json('/api/v1/status')).config.failure).toMatch(/skewscope\.yaml/);
    expect(await rules()).toContain(first.rule);

    folder.configure(configOf('reload', `${outputs}\nrules: {disable: [${first.rule}]}`));
    program.child.kill('SIGHUP');
    await program.said(/rules and outputs are loaded anew/);
    await program.until('it is resolved', () => {
      return receiver.told.some(({ rule, kind }) => rule === first.rule && kind === 'resolved');
    });
    expect(await rules()).not.toContain(first.rule);
    expect((await program.json('/api/v1/status')).config.failure).toBe('');

    const other = await EventReceiver.start();
    drops.push(() => other.stop());
    folder.configure(configOf('reload', outputs.replace(receiver.url, other.url)));
    program.child.kill('SIGHUP');
    // Who is new hears of all that holds.
    await program.until('the new receiver is told', () => other.told.some(({ rule }) => rule === first.rule));
    expect(await program.stop()).toBe(0);
  });

  test('takes audit events from a kube-apiserver over TLS, and finds what is wrong', async () => {
    await on.broker.createTopic('posted', 3);
    const folder = folderOf('');
    const certs = makeCerts(folder.path);
    writeFileSync(join(folder.path, 'hook-token'), 'hook-secret-of-16');
    folder.configure(`
kafka: {brokers: ["${on.broker.brokers}"], topics: [posted], group: posted, from: earliest}
listen:
  admin: "127.0.0.1:0"
  webhook:
    {address: "127.0.0.1:0", token: fromFile:hook-token, topic: posted, tls: {cert: server.pem, key: server-key.pem}}
`);
    const program = folder.start();
    const message = await program.said(/^audit webhook at /);
    const port = Number(/:(\d+)/.exec(message.replace('https:', ''))?.[1]);
    const post = (server: string, items: readonly string[], token = 'hook-secret-of-16') =>
      new Promise<number>((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const path = `/audit/v1/prod-1/${server}`;
        const sent = request(
          { host: '127.0.0.1', port, path, method: 'POST', headers, ca: certs.ca, servername: SERVER_NAME },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        sent.on('error', reject);
        sent.end(`{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items.join(',')}]}`);
      });
    expect(await post('cp1', [LINES[0]?.value ?? ''], 'wrong')).toBe(401);
    for (let at = 0; at < LINES.length; at += 300) {
      const part = LINES.slice(at, at + 300);
      for (const server of ['cp1', 'cp2', 'cp3']) {
        const own = part.filter((line) => line.server === server).map(({ value }) => value);
        if (own.length > 0) expect(await post(server, own)).toBe(200);
      }
    }
    await program.live(LINES.length);
    await program.until('findings', async () => (await program.json('/api/v1/findings')).findings.length > 1);
    const { servers, clusters } = await program.json('/api/v1/servers');
    expect(clusters).toEqual([{ name: 'prod-1' }]);
    expect(servers.map(({ name }: { name: string }) => name).sort()).toEqual(['cp1', 'cp2', 'cp3']);
    expect(program.text).not.toContain('hook-secret-of-16');
    expect(await program.stop()).toBe(0);
  });

  test('keeps below 512 MB with 300 MB to read and a receiver that hangs', async () => {
    await on.broker.createTopic('backlog', 3);
    const producer = on.plain().producer();
    await producer.connect();
    drops.push(() => producer.disconnect());
    let bytes = 0;
    for (let round = 0; bytes < 300e6; round += 1) {
      const part = LINES.map((line) => ({ ...line, value: anew(line.value, round) }));
      bytes += part.reduce((sum, { value }) => sum + value.length, 0);
      await send(producer, 'backlog', part);
    }
    const receiver = await EventReceiver.start();
    drops.push(() => receiver.stop());
    receiver.away = true;
    const folder = folderOf(configOf('backlog', `outputs: {webhook: [{url: "${receiver.url}"}]}`));
    const program = folder.start();
    await program.consumes();
    let peak = 0;
    await program.until(
      'all is read',
      async () => {
        peak = Math.max(peak, rssOf(program.child.pid ?? 0));
        const { lag } = await program.json('/api/v1/status');
        return lag.messages === 0;
      },
      120_000,
    );
    expect(peak).toBeLessThan(512e6);
  }, 240_000);
});

/** The same event of another request. */
function anew(event: string, round: number): string {
  return event.replace(/"auditID":"[^"]{6}/, `"auditID":"${round.toString(16).padStart(6, '0')}`);
}

/** Bytes of memory of a process. */
function rssOf(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1_024;
}
