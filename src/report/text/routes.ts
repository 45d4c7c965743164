/** The table of proxied requests: who passed what to whom, how it ended, and what the hop cost. */
import type { Analysis, Route } from '../../model/analysis.js';
import { sortBy } from '../order.js';
import { groupDigits, type Page, plural } from './page.js';
import { table } from './table.js';

const ROWS = 20;

export function renderRoutes(page: Page, analysis: Analysis): string[] {
  const { routes } = analysis.proxied;
  if (routes.length === 0)
    return ['  none: no request was seen both at a server that passed it on and at the one that took it'];
  const byCount = sortBy(routes, (route) => [-route.count, ...keysOf(route)]);
  const shown = sortBy(byCount.slice(0, ROWS), keysOf);
  const rest = byCount.slice(ROWS);
  const right = 'right' as const;
  const several = analysis.clusters.length > 1;
  const lines = table(
    page,
    [
      ...(several ? [{ title: 'cluster' }] : []),
      { title: 'from → to' },
      { title: 'verb' },
      { title: 'resource', cut: true },
      { title: 'code', align: right },
      { title: 'count', align: right },
      { title: 'hop p50', align: right },
      { title: 'p99', align: right },
    ],
    shown.map((route) => [
      ...(several ? [route.cluster ?? '?'] : []),
      `${route.source} → ${route.destination}`,
      route.verb,
      route.resource,
      { text: route.code === null ? '-' : String(route.code), ...(isFault(route.code) ? { paint: page.bad } : {}) },
      groupDigits(route.count),
      route.hopMs === null ? '-' : milliseconds(route.hopMs.p50),
      route.hopMs === null ? '-' : milliseconds(route.hopMs.p99),
    ]),
  );
  if (rest.length === 0) return lines;
  const requests = rest.reduce((sum, route) => sum + route.count, 0);
  return [...lines, `  and ${plural(rest.length, 'rarer route')} (${plural(requests, 'request')}) in --format json`];
}

function keysOf(route: Route) {
  return [route.cluster ?? null, route.source, route.destination, route.resource, route.verb, route.code] as const;
}

function isFault(code: number | null): boolean {
  return code !== null && (code >= 500 || code === 401 || code === 403);
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : groupDigits(Math.round(ms))} ms`;
}
