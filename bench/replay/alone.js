/** kafkajs reads a topic to its end and does nothing with it. Prints the seconds from the first batch to the last. */
import kafkajs from 'kafkajs';

const [broker = '', topic = '', total = ''] = process.argv.slice(2);
const kafka = new kafkajs.Kafka({ brokers: [broker], clientId: 'alone', logLevel: kafkajs.logLevel.ERROR });
const consumer = kafka.consumer({ groupId: `alone-${process.pid}-${Date.now()}`, maxBytesPerPartition: 4 * 2 ** 20 });
await consumer.connect();
await consumer.subscribe({ topics: [topic], fromBeginning: true });
let seen = 0;
let from = 0;
const done = new Promise((resolve) => {
  void consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      from ||= performance.now();
      seen += batch.messages.length;
      if (seen >= Number(total)) resolve(performance.now());
    },
  });
});
console.log(((await done) - from) / 1_000);
process.exit(0);
