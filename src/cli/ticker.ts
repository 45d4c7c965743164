/** Tells changes of findings as they come, in the way that fits what reads them. */
import type { FindingChange } from '../findings/index.js';
import type { Analysis } from '../model/analysis.js';
import { escapeJson } from '../report/json.js';
import { toResultFinding } from '../report/result.js';
import type { OutputFlags } from './analysis-options.js';
import { changeLine } from './change-line.js';
import { LiveView } from './live-view.js';
import type { Output } from './output.js';
import { type Terminal, useColor } from './terminal.js';

export interface Ticker {
  /** Bytes read so far. */
  progress(bytes: number): void;
  update(analysis: Analysis, changes: readonly FindingChange[]): void;
  /** Waits until everything is told, and takes away what was drawn in place. */
  close(): Promise<void>;
}

/** A view in place on a terminal, lines of text or NDJSON when piped, nothing before the end for one JSON object. */
export function openTicker(output: Output, flags: OutputFlags, terminal: Terminal, inputs: number): Ticker {
  const { stdout, env } = terminal;
  if (flags.format === 'json') return new LineTicker(output, () => '');
  if (flags.format === 'ndjson') return new LineTicker(output, ndjsonLine);
  if (stdout.isTTY !== true || env.TERM === 'dumb')
    return new LineTicker(output, (change, recordedUs) => `${changeLine(change, recordedUs)}\n`);
  const size = () => ({ columns: flags.width ?? stdout.columns ?? 80, rows: stdout.rows ?? 24 });
  return new ViewTicker(new LiveView(output, size, useColor(flags.color, stdout, env)), inputs);
}

class LineTicker implements Ticker {
  #told: Promise<void> = Promise.resolve();

  constructor(
    readonly output: Output,
    readonly line: (change: FindingChange, recordedUs: number) => string,
  ) {}

  progress(): void {}

  update(analysis: Analysis, changes: readonly FindingChange[]): void {
    const recordedUs = analysis.window?.to ?? 0;
    const text = changes.map((change) => this.line(change, recordedUs)).join('');
    if (text !== '') this.#told = chain(this.#told, () => this.output.write(text));
  }

  async close(): Promise<void> {
    await this.#told;
  }
}

const REDRAW_MS = 250;
const KEPT_CHANGES = 20;

class ViewTicker implements Ticker {
  readonly #timer: NodeJS.Timeout;
  #drawn: Promise<void> = Promise.resolve();
  #drawing = false;
  #dirty = true;
  #analysis: Analysis | undefined;
  #changes: FindingChange[] = [];
  #bytes = 0;

  constructor(
    readonly view: LiveView,
    readonly inputs: number,
  ) {
    this.#timer = setInterval(() => this.#draw(), REDRAW_MS);
    this.#draw();
  }

  progress(bytes: number): void {
    this.#bytes = bytes;
    this.#dirty = true;
  }

  update(analysis: Analysis, changes: readonly FindingChange[]): void {
    this.#analysis = analysis;
    this.#changes = [...this.#changes, ...changes].slice(-KEPT_CHANGES);
    this.#dirty = true;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#drawn;
    await this.view.clear();
  }

  #draw(): void {
    if (this.#drawing || !this.#dirty) return;
    this.#drawing = true;
    this.#dirty = false;
    const { inputs } = this;
    this.#drawn = chain(this.#drawn, async () => {
      await this.view.draw({ analysis: this.#analysis, changes: this.#changes, bytes: this.#bytes, inputs });
      this.#drawing = false;
    });
  }
}

/** One after the other. A failure is kept for whoever waits for the chain, and nothing more is done after it. */
function chain(before: Promise<void>, next: () => Promise<void>): Promise<void> {
  const after = before.then(next);
  after.catch(() => {});
  return after;
}

function ndjsonLine({ kind, finding }: FindingChange): string {
  return `${escapeJson(JSON.stringify({ kind: 'change', change: kind, ...toResultFinding(finding) }))}\n`;
}
