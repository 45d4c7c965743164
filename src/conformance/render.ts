/** The table of a conformance check, then every difference. */
import type { Score } from './compare.js';
import type { Conformance } from './run.js';

const HEAD = ['run', 'given', 'found', 'missed', 'false', 'pairs right', 'discovery', 'servers', ''];

/** Text for a terminal, newline-terminated. */
export function renderConformance(checks: readonly Conformance[]): string {
  const rows = checks.map((check) => [
    check.run,
    check.mode === 'all' ? 'all files' : 'audit logs',
    of(check.findings),
    String(check.findings.expected - check.findings.right),
    String(check.differences.filter(({ kind }) => kind === 'false').length),
    of(check.pairs),
    of(check.discovery),
    of(check.servers),
    check.differences.length === 0 ? 'ok' : 'DIFFERS',
  ]);
  const differing = checks.filter(({ differences }) => differences.length > 0);
  const details = differing.flatMap(({ run, mode, differences }) => [
    '',
    `${run}, ${mode === 'all' ? 'all files' : 'audit logs alone'}:`,
    ...differences.map(({ kind, text }) => `  ${kind.padEnd(9)}  ${text}`),
  ]);
  const runs = new Set(checks.map(({ run }) => run)).size;
  const total = `${runs} runs, ${checks.length} analyses: ${checks.length - differing.length} as expected, ${differing.length} differ`;
  return `${[...align([HEAD, ...rows]), ...details, '', total].join('\n')}\n`;
}

function of({ right, expected }: Score): string {
  return `${right}/${expected}`;
}

function align(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
