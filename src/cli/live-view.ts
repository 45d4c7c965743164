/** What `watch` shows on a terminal: the findings that hold now and the latest changes, redrawn in place. */
import pc from 'picocolors';
import type { FindingChange } from '../findings/index.js';
import type { Analysis } from '../model/analysis.js';
import type { Severity } from '../model/finding.js';
import { formatTime } from '../model/time.js';
import { sortFindings } from '../report/order.js';
import { escapeProse, escapeText } from '../report/text/escape.js';
import { plural } from '../report/text/page.js';
import { cutEnd } from '../report/text/width.js';
import { changeLine, subjectOf } from './change-line.js';
import type { Output } from './output.js';
import { formatBytes } from './units.js';

export interface View {
  /** undefined before the first records. */
  readonly analysis: Analysis | undefined;
  /** Oldest first. */
  readonly changes: readonly FindingChange[];
  readonly bytes: number;
  readonly inputs: number;
}

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
}

/** Draws frames over each other. */
export class LiveView {
  #drawn = 0;

  constructor(
    readonly output: Output,
    readonly size: () => FrameSize,
    readonly color: boolean,
  ) {}

  async draw(view: View): Promise<void> {
    const lines = frame(view, this.size(), this.color);
    await this.output.write(`${this.#home()}${lines.join('\n')}\n`);
    this.#drawn = lines.length;
  }

  async clear(): Promise<void> {
    await this.output.write(this.#home());
    this.#drawn = 0;
  }

  #home(): string {
    return this.#drawn === 0 ? '' : `\x1b[${this.#drawn}A\x1b[J`;
  }
}

/** At most `rows - 1` lines of at most `columns` columns: the cursor stands on the last row. */
export function frame(view: View, { columns, rows }: FrameSize, color: boolean): string[] {
  const paint = pc.createColors(color);
  const colors: Record<Severity, (text: string) => string> = {
    critical: paint.red,
    warning: paint.yellow,
    info: paint.dim,
  };
  const room = Math.max(3, rows - 1);
  const findings = sortFindings(view.analysis?.findings ?? []);
  const latest = view.changes.slice(-Math.max(1, Math.min(5, Math.floor(room / 3))));
  const shown = findings.slice(0, Math.max(0, room - 4 - latest.length));
  const more = findings.length - shown.length;
  const line = (text: string) => cutEnd(text, columns);
  return [
    paint.bold(line(statusLine(view))),
    line(serversLine(view.analysis)),
    ...(findings.length === 0 ? [paint.green(line('No finding so far.'))] : []),
    ...shown.map((finding) => {
      const { severity, rule, count, summary, title } = finding;
      const what = escapeProse(summary === '' ? title : summary);
      return colors[severity](line(`${severity.padEnd(8)} ${rule} ${subjectOf(finding)} (${count}x) ${what}`));
    }),
    ...(more > 0 ? [line(`and ${more} more`)] : []),
    ...latest.map((change) => paint.dim(line(changeLine(change, view.analysis?.window?.to ?? 0)))),
  ].slice(0, room);
}

function statusLine({ analysis, bytes, inputs }: View): string {
  const last =
    analysis?.window === undefined || analysis.window === null ? 'no record yet' : formatTime(analysis.window.to);
  return `${plural(inputs, 'input')}, ${formatBytes(bytes)}, last record: ${last}. Ctrl-C ends with a summary.`;
}

function serversLine(analysis: Analysis | undefined): string {
  const servers = analysis?.servers ?? [];
  if (servers.length === 0) return 'Servers: none known yet';
  const names = servers.map(({ name, versions }) => {
    const version = versions.at(-1)?.version;
    return escapeText(version === undefined ? name : `${name} ${version}`);
  });
  return `Servers: ${names.join(', ')}; ${plural(analysis?.proxied.total ?? 0, 'request')} passed on to peers`;
}
