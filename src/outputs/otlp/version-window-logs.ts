/** The windows in which versions differed as log records about the cluster. */
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { Analysis, ServerSummary } from '../../model/analysis.js';
import { formatDuration, formatTime, MINUTE } from '../../model/time.js';
import { recordIdOf } from './ids.js';
import { buildLogRecord } from './log-record.js';
import { RecentKeys } from './recent-keys.js';
import type { ServerResources } from './resources.js';
import { safeText } from './safe-text.js';
import { heldTime } from './span.js';
import { type VersionWindow, versionWindows } from './version-windows.js';

const MAX_VERSION = 64;
const MAX_VERSIONS = 16;
/** Windows that are remembered as told. */
const MAX_TOLD = 1_000;
/** A server that was not heard of for so long is gone: apiservers renew their leases every few seconds. */
const SILENCE = 5 * MINUTE;

/** Tells a window when it is seen first, as `open` where it may go on behind the last records, and when it has ended. */
export class VersionWindowLog {
  readonly #told = new RecentKeys(MAX_TOLD);

  changes({ servers, window }: Analysis, resources: ServerResources): ReadableLogRecord[] {
    const endUs = window?.to ?? 0;
    return versionWindows(servers).flatMap((found) => {
      const open = mayGoOn(found, servers, endUs);
      const key = JSON.stringify([found.cluster, found.from, open]);
      return this.#told.add(key) ? [record(found, open, resources)] : [];
    });
  }
}

/** It ended with the last sign of life of a server, not with another version of it, and only just now. */
function mayGoOn({ to }: VersionWindow, servers: readonly ServerSummary[], endUs: number): boolean {
  return endUs - to < SILENCE && servers.some((server) => server.versions.at(-1)?.to === to);
}

function record(found: VersionWindow, open: boolean, resources: ServerResources): ReadableLogRecord {
  const versions = found.versions.slice(0, MAX_VERSIONS).map((version) => safeText(version, MAX_VERSION));
  const duration = formatDuration(found.to - found.from);
  return buildLogRecord({
    event: 'skewscope.version_window',
    about: ['version-window', found.cluster, found.from],
    uid: recordIdOf('version-window', found.cluster, found.from, open ? 'open' : found.to),
    atUs: open ? found.from : found.to,
    level: 'info',
    body: open
      ? `Servers run different versions (${versions.join(', ')})`
      : `Servers ran different versions (${versions.join(', ')}) for ${duration}`,
    attributes: {
      'skewscope.version_window.state': open ? 'open' : 'ended',
      'skewscope.version_window.from': formatTime(heldTime(found.from)),
      ...(open ? {} : { 'skewscope.version_window.to': formatTime(heldTime(found.to)) }),
      'skewscope.versions': versions,
    },
    resource: resources.ofCluster(found.cluster),
  });
}
