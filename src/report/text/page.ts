/** What every section of the terminal summary is given: width, colours, and how times are written. */
import pc from 'picocolors';
import type { Severity } from '../../model/finding.js';
import type { Clock } from './clock.js';

export interface TextOptions {
  readonly color: boolean;
  /** Columns of the terminal; prose uses at most 120 of them. */
  readonly width: number;
}

export type Paint = (text: string) => string;

export interface Page {
  readonly width: number;
  readonly clock: Clock;
  /** The domain that is left out of all names of servers; '' for none. */
  readonly domain: string;
  readonly bold: Paint;
  readonly dim: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly doubtful: Paint;
}

export function createPage(options: TextOptions, clock: Clock, domain = ''): Page {
  const colors = pc.createColors(options.color);
  return {
    width: Math.min(120, Math.max(40, Math.floor(options.width) || 80)),
    clock,
    domain,
    bold: colors.bold,
    dim: colors.dim,
    good: colors.green,
    bad: (text) => colors.bold(colors.red(text)),
    doubtful: colors.yellow,
  };
}

export function paintOf(page: Page, severity: Severity): Paint {
  if (severity === 'critical') return page.bad;
  return severity === 'warning' ? page.doubtful : page.dim;
}

/** `1 finding`, `2 findings`, `34,012 records`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`;
}

export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `cp1`, `cp1 and cp2`, `cp1, cp2 and 3 more`. */
export function enumerate(names: readonly string[], most = 4): string {
  const shown = names.length > most ? names.slice(0, most - 1) : [...names];
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last}`;
}
