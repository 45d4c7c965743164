/** The output that appends OTLP in JSON to a file, one message a line, as the collector's file exporter writes and its receivers read it. */
import { open } from 'node:fs/promises';
import { errorText } from '../../model/error-text.js';
import type { DeliveryReport, Output, OutputBatch } from '../output.js';
import { encodeLogs, encodeSpans, type Payload } from './encode.js';
import { safeText } from './safe-text.js';
import { TelemetryBuilder, type TelemetryOptions } from './telemetry.js';

/** What is kept while the file cannot be written; beyond that no new batch is taken. */
const MAX_WAITING_BYTES = 16 * 2 ** 20;

/** The file is made when it is missing, readable by its owner only, and never cut. */
export function createOtlpFileOutput(path: string, options: TelemetryOptions = { ratio: 1 }): Output {
  return new OtlpFileOutput(path, options);
}

class OtlpFileOutput implements Output {
  readonly name: string;
  readonly spools = false;
  readonly #builder: TelemetryBuilder;
  readonly #waiting: Payload[] = [];

  constructor(
    readonly path: string,
    options: TelemetryOptions,
  ) {
    this.name = `otlp file ${safeText(path, 200)}`;
    this.#builder = new TelemetryBuilder(options);
  }

  async deliver(batch: OutputBatch): Promise<DeliveryReport> {
    const full = this.#waiting.reduce((sum, { body }) => sum + body.length, 0) >= MAX_WAITING_BYTES;
    if (!full) {
      const { spans, records } = this.#builder.build(batch);
      this.#waiting.push(...encodeLogs(records, 'http/json'), ...encodeSpans(spans, 'http/json'));
    }
    return { ...(await this.#write()), ...(full ? { postponed: true as const } : {}) };
  }

  async close(): Promise<void> {}

  async #write(): Promise<DeliveryReport> {
    const count = this.#waiting.reduce((sum, payload) => sum + payload.count, 0);
    if (count === 0) return { delivered: 0, known: 0, waiting: [], refused: [] };
    try {
      await appendLines(this.path, this.#waiting);
    } catch (error) {
      const reason = safeText(errorText(error), 300);
      return { delivered: 0, known: 0, waiting: [{ count, reason, where: null }], refused: [] };
    }
    this.#waiting.length = 0;
    return { delivered: count, known: 0, waiting: [], refused: [], answer: 'written' };
  }
}

/** All lines or none: what a full disk took in part is cut off again, so that no line is damaged. */
async function appendLines(path: string, payloads: readonly Payload[]): Promise<void> {
  const handle = await open(path, 'a', 0o600);
  try {
    const stats = await handle.stat();
    try {
      await handle.appendFile(payloads.map(({ body }) => `${Buffer.from(body).toString('utf8')}\n`).join(''));
    } catch (error) {
      if (stats.isFile()) await handle.truncate(stats.size);
      throw error;
    }
  } finally {
    await handle.close();
  }
}
