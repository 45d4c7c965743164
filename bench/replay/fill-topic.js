/** A topic with the events of all servers as a shipper leaves them there: in turns, keyed by the server. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import kafkajs from 'kafkajs';

const TURN = 300;

/**
 * Fills the topic unless it is full.
 * @param {string} broker @param {string} topic @param {number} partitions @param {readonly string[]} files
 * @returns {Promise<number>} messages in it
 */
export async function fillTopic(broker, topic, partitions, files) {
  const kafka = new kafkajs.Kafka({ brokers: [broker], clientId: 'bench', logLevel: kafkajs.logLevel.ERROR });
  const admin = kafka.admin();
  await admin.connect();
  if (!(await admin.listTopics()).includes(topic)) {
    await admin.createTopics({ topics: [{ topic, numPartitions: partitions }], waitForLeaders: true });
  }
  const before = await count(admin, topic);
  if (before === 0) await send(kafka, topic, files);
  const all = await count(admin, topic);
  await admin.disconnect();
  return all;
}

/** @param {import('kafkajs').Admin} admin @param {string} topic */
async function count(admin, topic) {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
}

/** @param {import('kafkajs').Kafka} kafka @param {string} topic @param {readonly string[]} files */
async function send(kafka, topic, files) {
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await producer.connect();
  let open = files.map((file) => ({
    key: basename(file).replace('-audit.log', ''),
    lines: createInterface({ input: createReadStream(file) })[Symbol.asyncIterator](),
  }));
  while (open.length > 0) {
    for (const one of open) {
      const messages = [];
      for (let i = 0; i < TURN; i++) {
        const { done, value } = await one.lines.next();
        if (done) {
          open = open.filter((other) => other !== one);
          break;
        }
        messages.push({ key: one.key, value });
      }
      if (messages.length > 0) await producer.send({ topic, messages });
    }
  }
  await producer.disconnect();
}
