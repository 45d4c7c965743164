/** A real Kafka for one test file: its own ports on loopback, its own folder, gone when it is stopped. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Admin } from 'kafkajs';
import { PATIENCE_MS } from '../../until.js';
import { freePorts } from '../free-ports.js';
import { type Certs, makeCerts } from './certs.js';
import { installKafka } from './install.js';
import { LOGGING, PASSWORD, serverSettings, USER } from './settings.js';

/** Starting quickly matters more than the last bit of speed. */
const JAVA = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

export interface RunningKafka {
  /** Of the listener that asks for nothing. */
  readonly brokers: readonly string[];
  /** Asks for SASL, without TLS; of a secure one. */
  readonly sasl: readonly string[];
  /** Asks for a client certificate; of a secure one. */
  readonly tls: readonly string[];
  readonly certs: Certs | undefined;
  createTopic(name: string, partitions: number, config?: Readonly<Record<string, string>>): Promise<void>;
  /** Sends lines by Kafka's own producer; `codec`: none, gzip, snappy, lz4 or zstd. */
  produceLines(topic: string, codec: string, lines: readonly string[]): Promise<void>;
  /** Ends the process as a crash does; what it has written stays. */
  kill(): Promise<void>;
  /** Starts it again on what it has written. */
  restart(): Promise<void>;
  /** Ends the process and removes its folder. */
  stop(): Promise<void>;
}

/** `secure`: also listeners with SASL and TLS. `properties`: more settings of the server. */
export async function startKafka({
  secure = false,
  properties = {},
}: {
  readonly secure?: boolean;
  readonly properties?: Readonly<Record<string, string>>;
} = {}): Promise<RunningKafka> {
  const classPath = await installKafka();
  const folder = mkdtempSync(join(tmpdir(), 'skewscope-kafka-'));
  const config = join(folder, 'server.properties');
  const ports = await freePorts(4);
  const certs = secure ? makeCerts(folder) : undefined;
  writeFileSync(config, serverSettings(folder, ports, secure, properties));
  writeFileSync(join(folder, 'log4j2.properties'), LOGGING);
  const java = [...JAVA, `-Dlog4j2.configurationFile=${join(folder, 'log4j2.properties')}`, '-cp', classPath];
  await format(java, config, secure);
  let child = await start(java, config);
  const address = (at: number) => [`127.0.0.1:${ports[at]}`];
  const brokers = address(0);
  return {
    brokers,
    sasl: address(2),
    tls: address(3),
    certs,
    createTopic: (name, partitions, settings = {}) => createTopic(brokers, name, partitions, settings),
    produceLines: (topic, codec, lines) => produceLines(java, String(brokers), topic, codec, lines),
    kill: () => end(child),
    async restart() {
      await end(child);
      child = await start(java, config);
    },
    async stop() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function format(java: readonly string[], config: string, secure: boolean): Promise<void> {
  const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${USER},password=${PASSWORD}]`,
  ]);
  const id = randomBytes(16).toString('base64url');
  // An id may begin with a hyphen.
  const args = ['kafka.tools.StorageTool', 'format', `--cluster-id=${id}`, '-c', config, ...(secure ? scram : [])];
  await promisify(execFile)('java', [...java, ...args]);
}

async function start(java: readonly string[], config: string): Promise<ChildProcess> {
  const child = spawn('java', [...java, 'kafka.Kafka', config], { stdio: ['ignore', 'pipe', 'inherit'] });
  // A test run that is ended leaves no server behind.
  const orphan = () => child.kill('SIGKILL');
  process.once('exit', orphan);
  child.once('exit', () => process.removeListener('exit', orphan));
  let said = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-20_000);
  });
  const deadline = Date.now() + PATIENCE_MS;
  while (!said.includes('Kafka Server started')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await end(child);
      throw new Error(`Kafka did not start:\n${said}`);
    }
    await sleep(50);
  }
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function createTopic(
  brokers: readonly string[],
  topic: string,
  numPartitions: number,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const { Kafka, logLevel } = (await import('kafkajs')).default;
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
    await admin.createTopics({ topics: [{ topic, numPartitions, configEntries }], waitForLeaders: true });
    await untilServed(admin, topic);
  } finally {
    await admin.disconnect();
  }
}

/**
 * The brokers name the leader of a partition a little before it serves. kafkajs sends all of a request again when one
 * partition did not take its part, so what the others have taken would be there twice.
 */
async function untilServed(admin: Admin, topic: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20)) {
    try {
      await admin.fetchTopicOffsets(topic);
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

async function produceLines(
  java: readonly string[],
  brokers: string,
  topic: string,
  codec: string,
  lines: readonly string[],
): Promise<void> {
  const to = ['--bootstrap-server', brokers, '--topic', topic, '--compression-codec', codec];
  const child = spawn('java', [...java, 'org.apache.kafka.tools.ConsoleProducer', ...to], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const [code] = await exited;
  if (code !== 0) throw new Error(`the console producer ended with ${code}`);
}
