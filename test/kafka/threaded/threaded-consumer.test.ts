import { afterEach, describe, expect, test } from '@jest/globals';
import { MAX_BATCH_BYTES } from '../../../src/kafka/pack.js';
import { KafkaFailure } from '../../../src/kafka/port.js';
import { until } from '../../until.js';
import { assigned, batch, started, type Threaded, threaded } from './kit.js';

let open: Threaded | undefined;
afterEach(() => open?.worker.terminate());

async function opened(): Promise<Threaded> {
  open = await started();
  return open;
}

const MANY = 20 * 2 ** 20;

describe('what comes', () => {
  test('is handed on in its order, with every column as it was, and memory that moved', async () => {
    const { inner, handlers } = await opened();
    const sent = batch(1, '{"a":1}');
    const plain = { ...sent, bytes: Buffer.from(sent.bytes), starts: sent.starts.slice(), ends: sent.ends.slice() };
    const more = {
      offsets: sent.offsets.slice(),
      timestamps: sent.timestamps.slice(),
      senderOf: sent.senderOf.slice(),
    };
    await inner.told.onAssigned(assigned(0, 1));
    inner.told.onBatch(sent);
    inner.told.onEnd({ topic: 'audit', partition: 0 }, 5);
    inner.told.onBatch(batch(0));
    inner.told.onRevoked();
    await until(() => handlers.calls.length === 5, 'all');
    expect(handlers.calls).toEqual(['assigned 0,1', 'batch 1', 'end 0 5', 'batch 0', 'revoked']);
    expect(handlers.batches[0]).toEqual({ ...plain, ...more });
    expect(Buffer.isBuffer(handlers.batches[0]?.bytes)).toBe(true);
    expect(sent.bytes.length).toBe(0);
  });

  test('begins where the handlers say, or crashes with their error', async () => {
    const { inner, handlers } = await opened();
    handlers.begin = async (list) => list.map(({ topic, partition }) => ({ topic, partition, offset: 42 }));
    expect(await inner.told.onAssigned(assigned(3))).toEqual([{ topic: 'audit', partition: 3, offset: 42 }]);
    handlers.begin = async () => {
      throw new RangeError('no such place');
    };
    await expect(inner.told.onAssigned(assigned(3))).rejects.toThrow('no such place');
  });

  test('a crash keeps its kind, and messages reach the log', async () => {
    const { inner, handlers, said } = await opened();
    inner.say('warn', 'trying again');
    inner.told.onCrash(new KafkaFailure('not allowed', true));
    await until(() => handlers.crash !== undefined, 'the crash');
    expect(said).toEqual(['warn trying again']);
    expect(handlers.crash).toBeInstanceOf(KafkaFailure);
    expect(handlers.crash).toMatchObject({ message: 'not allowed', retry: true });
  });
});

describe('orders', () => {
  test('are done, and answered with what comes of them', async () => {
    const { consumer, inner } = await opened();
    await inner.told.onAssigned(assigned(0));
    await consumer.commit([{ topic: 'audit', partition: 0, offset: 5 }]);
    expect(await consumer.members()).toBe(3);
    expect(inner.calls).toEqual([['commit', 5]]);
    inner.failure = new KafkaFailure('the broker is away', true);
    const failed = consumer.commit([{ topic: 'audit', partition: 0, offset: 6 }]);
    await expect(failed).rejects.toMatchObject({ name: 'KafkaFailure', message: 'the broker is away', retry: true });
  });

  test('to pause are done with the next batch, since what is being fetched would be lost otherwise', async () => {
    const { consumer, inner, handlers } = await opened();
    await inner.told.onAssigned(assigned(0, 1));
    consumer.pause([{ topic: 'audit', partition: 1 }]);
    await consumer.members();
    expect(inner.calls).toEqual([]);
    inner.told.onBatch(batch(0));
    inner.told.onBatch(batch(1));
    expect(inner.calls).toEqual([['pause', 1]]);
    consumer.resume([{ topic: 'audit', partition: 1 }]);
    await until(() => inner.calls.length === 2, 'it goes on');
    expect(inner.calls[1]).toEqual(['resume', 1]);
    expect(handlers.calls).toEqual(['assigned 0,1', 'batch 0', 'batch 1']);
  });

  test('that were given for what was revoked since are not done to what came after', async () => {
    const { consumer, inner, handlers } = await opened();
    await inner.told.onAssigned(assigned(0));
    // The other side has not heard of it when it gives its orders.
    inner.told.onRevoked();
    consumer.pause([{ topic: 'audit', partition: 0 }]);
    const commit = consumer.commit([{ topic: 'audit', partition: 0, offset: 5 }]);
    await expect(commit).rejects.toMatchObject({ retry: false, message: expect.stringContaining('rebalanced') });
    await inner.told.onAssigned(assigned(0));
    inner.told.onBatch(batch(0));
    expect(inner.calls).toEqual([]);
    expect(handlers.calls.slice(0, 2)).toEqual(['assigned 0', 'revoked']);
    // By now it has.
    await consumer.commit([{ topic: 'audit', partition: 0, offset: 6 }]);
    expect(inner.calls).toEqual([['commit', 6]]);
  });
});

test('no more is fetched while too much is underway, and what was paused by order stays so', async () => {
  const { consumer, inner, handlers } = await opened();
  await inner.told.onAssigned(assigned(0, 1, 2));
  consumer.pause([{ topic: 'audit', partition: 2 }]);
  await consumer.members();
  inner.told.onBatch(batch(2, 'x', MANY));
  expect(inner.calls).toEqual([['pause', 0, 1, 2]]);
  await until(() => inner.calls.length === 2, 'it goes on');
  expect(inner.calls[1]).toEqual(['resume', 0, 1]);
  expect(handlers.calls).toEqual(['assigned 0,1,2', 'batch 2']);
});

test('memory of full batches goes to the thread and back, that of small ones is not worth it', async () => {
  const { consumer, inner, handlers } = await opened();
  await inner.told.onAssigned(assigned(0));
  const bytes = inner.allocate(MAX_BATCH_BYTES - 5);
  bytes.write('first');
  const { buffer } = bytes;
  inner.told.onBatch({ ...batch(0), bytes });
  inner.told.onBatch({ ...batch(0), bytes: inner.allocate(100) });
  await until(() => handlers.batches.length === 2, 'both');
  const [large, small] = handlers.batches;
  expect([buffer.byteLength, large?.bytes.toString('latin1', 0, 5)]).toEqual([0, 'first']);
  expect([large?.bytes.length, small?.bytes.length, small?.release]).toEqual([MAX_BATCH_BYTES - 5, 100, undefined]);
  large?.release?.();
  expect(large?.bytes.length).toBe(0);
  await consumer.members();
  // The very same memory, with what it held.
  expect(inner.allocate(MAX_BATCH_BYTES).toString('latin1', 0, 5)).toBe('first');
});

describe('the end', () => {
  test('comes with stop, twice if need be, and whoever waits is told', async () => {
    const { consumer, inner, worker, handlers } = await opened();
    await consumer.stop();
    await consumer.stop();
    expect(inner.calls).toEqual([['stop']]);
    expect(worker.terminated).toBe(true);
    await expect(consumer.commit([{ topic: 'audit', partition: 0, offset: 5 }])).rejects.toThrow('was stopped');
    expect(handlers.calls).toEqual([]);
  });

  test('of a consumer that was never started is none', async () => {
    const { consumer, worker, inner } = threaded();
    await consumer.stop();
    expect(inner.calls).toEqual([]);
    await worker.terminate();
  });

  test('a thread that dies is a crash: what was assigned is revoked, and what waits fails', async () => {
    const { consumer, inner, worker, handlers } = await opened();
    await inner.told.onAssigned(assigned(0));
    const waits = consumer.members();
    worker.emit('error', new Error('out of memory'));
    await expect(waits).rejects.toThrow('the consumer has failed');
    expect(handlers.calls).toEqual([
      'assigned 0',
      'revoked',
      'crash the thread of the Kafka consumer failed: out of memory',
    ]);
    inner.told.onBatch(batch(0));
    await consumer.stop();
    expect(handlers.calls.length).toBe(3);
  });

  test('a start that fails is told with its error, as is a thread that dies before', async () => {
    const refused = threaded();
    refused.inner.failure = new KafkaFailure('check the password', false);
    const failed = refused.consumer.start(refused.handlers);
    await expect(failed).rejects.toMatchObject({ name: 'KafkaFailure', message: 'check the password', retry: false });
    await refused.worker.terminate();
    const dead = threaded();
    const starting = dead.consumer.start(dead.handlers);
    dead.worker.emit('exit', 1);
    await expect(starting).rejects.toThrow('the thread of the Kafka consumer failed: it ended with 1');
    expect(dead.handlers.calls).toEqual([]);
    await dead.worker.terminate();
  });

  test('a handler that throws ends the consumer: nothing is handed on that it did not take', async () => {
    const { inner, handlers } = await opened();
    await inner.told.onAssigned(assigned(0));
    handlers.onEach = () => {
      throw new TypeError('a mistake');
    };
    inner.told.onBatch(batch(0));
    inner.told.onBatch(batch(0));
    await until(() => inner.calls.length > 0, 'the thread is told to stop');
    expect(inner.calls).toEqual([['stop']]);
    expect(handlers.calls).toEqual(['assigned 0', 'batch 0', 'revoked', 'crash a mistake']);
    expect(handlers.crash).toBeInstanceOf(TypeError);
  });
});
