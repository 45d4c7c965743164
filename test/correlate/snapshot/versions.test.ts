import { describe, expect, test } from '@jest/globals';
import { correlate, inputsOf, MIN, observe, only, SEC, server, T0 } from '../kit.js';

/** cp1 is upgraded at minute 10, cp2 at minute 20. */
function upgrade() {
  const servers = [server('cp1', { version: 'v1.35.4' }), server('cp2', { version: 'v1.35.4' })];
  for (const [at, one] of servers.entries()) {
    const restart = T0 + (at + 1) * 10 * MIN;
    one
      .boots(T0, { until: restart - 20 * SEC })
      .stops(restart - 10 * SEC)
      .boots(restart, { version: 'v1.36.3', until: T0 + 30 * MIN });
  }
  return servers;
}

describe('versions', () => {
  test('each restart is told, with what it was before and after', () => {
    expect(only(observe(upgrade()), 'server-restart')).toMatchObject([
      { server: 'cp1', versionBefore: 'v1.35.4', versionAfter: 'v1.36.3', graceful: true },
      { server: 'cp2', versionBefore: 'v1.35.4', versionAfter: 'v1.36.3', graceful: true },
    ]);
  });

  test('the window in which they differed is one, with its length', () => {
    const [window, ...others] = only(observe(upgrade()), 'version-window');
    expect(others).toEqual([]);
    expect(window).toMatchObject({
      versions: ['v1.35.4', 'v1.36.3'],
      minorGap: 1,
      open: false,
      servers: ['cp1', 'cp2'],
    });
    expect(Math.abs((window?.seconds ?? 0) - 590)).toBeLessThan(15);
  });

  test('it is open while they still differ at the end', () => {
    const servers = [server('cp1', { version: 'v1.34.1' }).boots(T0), server('cp2', { version: 'v1.36.3' }).boots(T0)];
    expect(only(observe(servers), 'version-window')).toMatchObject([{ open: true, minorGap: 2 }]);
  });

  test('rates of 404 and 5xx are told before, during and after', () => {
    const servers = upgrade();
    const [cp1, cp2] = servers;
    for (let at = 0; at < 100; at += 1) {
      cp1?.request(T0 + 5 * MIN + at * SEC);
      cp2?.request(T0 + 12 * MIN + at * SEC, { code: at < 50 ? 404 : 200 });
      cp2?.request(T0 + 25 * MIN + at * SEC, { code: at < 10 ? 500 : 200 });
    }
    const [window] = only(observe(servers), 'version-window');
    expect(window?.before?.notFound).toBeLessThan(0.05);
    expect(window?.during.notFound).toBeGreaterThan(0.2);
    expect(window?.after?.serverErrors).toBeGreaterThan(0.03);
    expect(window?.during.serverErrors).toBe(0);
  });

  test('a server that came back in another version was never beside itself', () => {
    const cp1 = server('cp1', { version: 'v1.35.4' })
      .boots(T0)
      .boots(T0 + 5 * MIN, { version: 'v1.36.3' });
    expect(only(observe([cp1]), 'version-window')).toEqual([]);
  });
});

test.each(['audit', 'log'] as const)(
  'versions and their window are the same with every %s record in a file of its own',
  (which) => {
    const cp1 = server('cp1', { version: 'v1.35.4' }).boots(T0, { until: T0 + 5 * MIN });
    const cp2 = server('cp2', { version: 'v1.35.4' }).boots(T0, { until: T0 + 2 * MIN });
    cp2.request(T0 + 2 * MIN + 5 * SEC).stops(T0 + 2 * MIN + 6 * SEC);
    cp2.request(T0 + 2 * MIN + 20 * SEC).boots(T0 + 2 * MIN + 20 * SEC, { version: 'v1.36.3', until: T0 + 5 * MIN });
    for (let at = T0 + 10 * SEC; at <= T0 + 5 * MIN; at += 10 * SEC)
      for (const one of [cp1, cp2])
        if (one === cp1 || at < T0 + 2 * MIN || at > T0 + 150 * SEC) one.says(at, 'I', 'controller.go', `step ${at}`);
    const told = (inputs: ReturnType<typeof inputsOf>) => {
      const snapshot = correlate(inputs);
      const windows = only(snapshot, 'version-window').map(({ from, to, seconds }) => ({ from, to, seconds }));
      return { windows, versions: snapshot.servers.map(({ name, versions }) => ({ name, versions })) };
    };
    const whole = inputsOf([cp1, cp2], which);
    const single = whole.flatMap(({ name, content }) =>
      String(content)
        .trimEnd()
        .split('\n')
        .map((line, at) => ({
          name: name.replace('.log', `-${String(at).padStart(5, '0')}.log`),
          content: `${line}\n`,
        })),
    );
    expect(told(single)).toEqual(told(whole));
  },
);
