/** The admin server on a free port, over a service that a test sets. */
import { Metrics } from '../../../src/outputs/metrics/index.js';
import { type AdminOptions, type AdminServer, openAdmin } from '../../../src/service/http/index.js';
import type { FakeView } from './fake-view.js';

export function serve(view: FakeView, options: Partial<AdminOptions> = {}): Promise<AdminServer> {
  return openAdmin({
    listen: { host: '127.0.0.1', port: 0 },
    view,
    metrics: new Metrics({ startMs: 0 }),
    now: Date.now,
    onMessage: () => {},
    ...options,
  });
}
