/** The OTLP outputs of the configuration: to a collector, a file, or people. */
import { isAbsolute, join } from 'node:path';
import type { OutputsConfig } from '../config/config.js';
import type { OutputsEnvironment } from './create.js';
import { httpTarget, spoolFolder } from './create-options.js';
import { createOtlpMetricsOutput } from './metrics/index.js';
import {
  createOtlpConsoleOutput,
  createOtlpFileOutput,
  createOtlpOutput,
  hasOtlpEndpoint,
  metricsSchedule,
  type OtlpOptions,
  type OtlpSettings,
  OtlpSettingsError,
  otlpSettings,
} from './otlp/index.js';
import { type Output, OutputError } from './output.js';

type OtlpSection = NonNullable<OutputsConfig['otlp']>;

/** In place of an address that the environment gives. */
const UNUSED = 'http://localhost';

/** Flags and the file go before the OTEL_* variables. Throws OutputError. */
export function openOtlp(section: OtlpSection, config: OutputsConfig, environment: OutputsEnvironment): Output[] {
  const { env, writeStdout } = environment;
  const { endpoint, file, console } = section;
  try {
    const settings = otlpSettings(optionsOf(section, config, environment), env);
    const { ratio } = settings;
    const here = [
      ...(file === undefined ? [] : [createOtlpFileOutput(inFolder(file, config), { ratio })]),
      ...(console === true ? [createOtlpConsoleOutput(writeStdout, { ratio })] : []),
    ];
    const sends = endpoint !== undefined || here.length === 0 || hasOtlpEndpoint(env);
    return sends ? [...collectorOutputs(settings, section, config, environment), ...here] : here;
  } catch (error) {
    if (error instanceof OtlpSettingsError) throw new OutputError(error.message, { cause: error });
    throw error;
  }
}

function optionsOf(section: OtlpSection, config: OutputsConfig, { env }: OutputsEnvironment): OtlpOptions {
  const { endpoint, protocol, compression, headers, timeout, tls, ratio } = section;
  const { target } = httpTarget({ url: endpoint ?? UNUSED, headers }, { env, folder: config.folder });
  return {
    ...(endpoint === undefined ? {} : { endpoint: target.url }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(compression === undefined ? {} : { compression }),
    ...(target.headers === undefined ? {} : { headers: target.headers }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(ratio === undefined ? {} : { ratio }),
    ...(tls?.ca === undefined ? {} : { caFile: inFolder(tls.ca, config) }),
    ...(tls?.cert === undefined ? {} : { certFile: inFolder(tls.cert, config) }),
    ...(tls?.key === undefined ? {} : { keyFile: inFolder(tls.key, config) }),
  };
}

function collectorOutputs(
  settings: OtlpSettings,
  { endpoint }: OtlpSection,
  config: OutputsConfig,
  { env, metrics, continuous, clock, onMessage, trial }: OutputsEnvironment,
): Output[] {
  const output = createOtlpOutput(settings, {
    ...(config.spool?.maxBytes === undefined ? {} : { maxBytes: config.spool.maxBytes }),
    folder: trial === true ? null : spoolFolder(config, 'otlp'),
    clock,
    onMessage,
  });
  const schedule = metricsSchedule(endpoint, env);
  if (metrics === undefined || schedule === null) return [output];
  const intervalMs = continuous ? schedule.intervalMs : null;
  return [output, createOtlpMetricsOutput(metrics, settings.metrics, { intervalMs, clock })];
}

function inFolder(path: string, { folder }: OutputsConfig): string {
  return isAbsolute(path) ? path : join(folder, path);
}
