/** The output that appends OTLP in JSON to a file, one message a line, as the collector's file exporter writes and its receivers read it. */
import type { Output } from '../output.js';
import { FileReceiver } from './file-receiver.js';
import { type OtlpOutputOptions, outputTo } from './otlp-output.js';
import { safeText } from './safe-text.js';
import type { TelemetryOptions } from './telemetry.js';

const BOTH = { traces: true, logs: true };

/**
 * The file is made when it is missing, readable by its owner only, and never cut. With a folder what was written is
 * remembered there, so that another process that reads the same writes nothing twice.
 */
export function createOtlpFileOutput(
  path: string,
  telemetry: TelemetryOptions = { ratio: 1 },
  options: Partial<OtlpOutputOptions> = {},
): Output {
  const { signals = BOTH } = telemetry;
  const receiver = new FileReceiver(path, (options.folder ?? null) !== null);
  const target = {
    name: `otlp file ${safeText(path, 200)}`,
    telemetry,
    ...(signals.traces ? { traces: receiver } : {}),
    ...(signals.logs ? { logs: receiver } : {}),
  };
  return outputTo(target, options);
}
