import { expect, test } from '@jest/globals';
import { createTeller, tellKafkajs } from '../../../src/kafka/kafkajs/messages.js';

function heard() {
  const lines: string[] = [];
  let time = 0;
  const teller = createTeller((level, text) => lines.push(`${level} ${text}`), { now: () => time });
  return { lines, teller, wait: (ms: number) => (time += ms) };
}

test('secrets and control characters are left out, and texts are cut', () => {
  const { lines, teller } = heard();
  teller.hide('s3cret-word');
  teller.tell('warn', `no s3cret-word\u001b[2J here\n${'x'.repeat(1_000)}`);
  expect(lines[0]).toMatch(/^warn no … \[2J here x+$/);
  expect(lines[0]?.length).toBeLessThan(520);
});

test('the same comes once in a while with how often it was withheld; other numbers are other messages', () => {
  const { lines, teller, wait } = heard();
  for (let i = 0; i < 5; i++) teller.tell('warn', '3 offsets were removed');
  teller.tell('warn', '4 offsets were removed');
  wait(30_000);
  teller.tell('warn', '3 offsets were removed');
  expect(lines).toEqual([
    'warn 3 offsets were removed',
    'warn 4 offsets were removed',
    'warn 3 offsets were removed (and 4 more like this)',
  ]);
});

test('chatter of the library that differs in numbers only is the same', () => {
  const { lines, teller } = heard();
  const log = tellKafkajs(teller)(2);
  for (const broker of ['a:1', 'a:2']) {
    const entry = {
      timestamp: '',
      logger: 'kafkajs',
      message: 'Connection error',
      error: 'refused',
      broker,
      stack: 'at …',
    };
    log({ namespace: 'Connection', level: 1, label: 'ERROR', log: entry });
  }
  expect(lines).toEqual(['info Kafka: Connection error: refused (a:1)']);
});
