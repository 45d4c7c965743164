/** What a service would run with, and whoever wrote it hardly meant. */
import { isDeepStrictEqual } from 'node:util';
import { formatDuration } from '../../model/time.js';
import type { Config } from '../config.js';
import { DEFAULT_LISTEN, DEFAULT_SERVICE } from '../service-config.js';
import type { Remark } from './remark.js';

/** `nowMs`: milliseconds since the epoch. */
export function doubtful(config: Config, nowMs: number): Remark[] {
  const { kafka, service, listen, outputs } = config;
  if (saysNothing(config)) {
    return [{ level: 'warning', path: [], message: 'says nothing of a service, nor of anything else' }];
  }
  if (kafka === undefined) return [];
  const warnings: Remark[] = [];
  const warn = (path: Remark['path'], message: string) => warnings.push({ level: 'warning', path, message });
  const { from } = kafka;
  if (typeof from === 'object' && 'atMs' in from && from.atMs > nowMs) {
    warn(['kafka', 'from'], 'lies in the future: a new group would begin as with latest');
  }
  const { readyLagMs, windowMs } = service;
  if (readyLagMs > windowMs) {
    const window = formatDuration(windowMs * 1_000);
    warn(
      ['service', 'readyLag'],
      `is longer than the window of ${window}: /readyz says ready however far it is behind`,
    );
  }
  const port = outputs?.metrics?.listen.port;
  if (port !== undefined && port !== 0 && port === listen.admin?.port) {
    const message =
      'is for `watch` alone and has the port of listen.admin, where `serve` has its metrics: give another';
    warn(['outputs', 'metrics', 'listen'], `${message} port, or leave it out`);
  }
  return warnings;
}

function saysNothing({ rules, servers, failOn, cluster, outputs, kafka, listen, service }: Config): boolean {
  const { dirs, disable, severity } = rules;
  return (
    [dirs, disable, Object.keys(severity), servers].every(({ length }) => length === 0) &&
    [failOn, cluster, outputs, kafka].every((section) => section === undefined) &&
    isDeepStrictEqual([listen, service], [DEFAULT_LISTEN, DEFAULT_SERVICE])
  );
}
