import { expect, test } from '@jest/globals';
import { parseListenAddress } from '../../src/config/listen-address.js';

test.each([
  ['9464', { host: '127.0.0.1', port: 9464 }],
  [9464, { host: '127.0.0.1', port: 9464 }],
  ['0', { host: '127.0.0.1', port: 0 }],
  ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
  ['0.0.0.0:80', { host: '0.0.0.0', port: 80 }],
  ['[::1]:9464', { host: '::1', port: 9464 }],
  ['node-1.example:9464', { host: 'node-1.example', port: 9464 }],
])('%j', (text, address) => {
  expect(parseListenAddress(text)).toEqual(address);
});

test.each([
  [':9464', 'names no host; write 9464 for this machine alone, or 0.0.0.0:9464 for everyone who reaches it'],
  ['127.0.0.1', 'must be HOST:PORT, as in 127.0.0.1:9464 or [::1]:9464'],
  ['::1:9464', 'must be HOST:PORT, as in 127.0.0.1:9464 or [::1]:9464'],
  ['http://x:9464', 'must be HOST:PORT, as in 127.0.0.1:9464 or [::1]:9464'],
  ['x:70000', 'has the port 70000; ports end at 65535'],
  [-1, 'must be HOST:PORT, as in 127.0.0.1:9464 or [::1]:9464'],
  [undefined, 'must be HOST:PORT, as in 127.0.0.1:9464'],
  [['x'], 'must be HOST:PORT, as in 127.0.0.1:9464'],
])('%j is told what is wrong', (text, mistake) => {
  expect(parseListenAddress(text)).toBe(mistake);
});
