import { describe, expect, test } from '@jest/globals';
import { checkOptions } from '../../../src/sources/webhook/check-options.js';

const base = {
  listen: { host: '127.0.0.1', port: 0 },
  store: async () => {},
  onMessage: () => {},
  now: Date.now,
};
const TOKEN = 'a-token-of-enough-letters';

describe('options', () => {
  test('have bounds by default', () => {
    const { maxInFlightBytes, maxBodyBytes, storeTimeoutMs } = checkOptions(base);
    expect({ maxInFlightBytes, maxBodyBytes, storeTimeoutMs }).toEqual({
      maxInFlightBytes: 64 * 2 ** 20,
      maxBodyBytes: 32 * 2 ** 20,
      storeTimeoutMs: 20_000,
    });
  });

  test.each([
    ['a bound of 0', { maxBodyBytes: 0 }, /maxBodyBytes must be/],
    ['a body that would never fit', { maxInFlightBytes: 10, maxBodyBytes: 11 }, /would never fit/],
    // An empty token would be shown by everybody who shows none.
    ['an empty token', { token: '' }, /at least 16 characters/],
    ['a token with its line end', { token: `${TOKEN}\n` }, /without spaces/],
    ['an open door', { listen: { host: '0.0.0.0', port: 0 } }, /from anybody; give a token/],
    ['no certificate', { tls: { cert: 'x', key: 'y' } }, /cannot be used/],
    ['an empty CA', { tls: { cert: 'x', key: 'y', clientCa: '' } }, /holds no PEM certificate/],
  ])('with %s are refused', (_what, options, message) => {
    expect(() => checkOptions({ ...base, ...options })).toThrow(message);
  });

  test('may listen to all with a token', () => {
    expect(checkOptions({ ...base, listen: { host: '0.0.0.0', port: 0 }, token: TOKEN }).token).toBe(TOKEN);
  });

  test('that are refused show no secret', () => {
    const key = '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----';
    const message = (() => {
      try {
        checkOptions({ ...base, tls: { cert: 'x', key } });
      } catch (error) {
        return String(error);
      }
      return '';
    })();
    expect(message).toContain('cannot be used');
    expect(message).not.toContain('c2VjcmV0');
  });
});
