/** The OTLP outputs of the configuration: to a collector, a file, or people. */
import { isAbsolute, join } from 'node:path';
import type { OutputsConfig } from '../config/config.js';
import type { OutputsEnvironment } from './create.js';
import { httpTarget, spoolFolder } from './create-options.js';
import { createOtlpMetricsOutput } from './metrics/index.js';
import { isDisabled } from './otlp/environment.js';
import {
  createOtlpConsoleOutput,
  createOtlpFileOutput,
  createOtlpOutput,
  metricsIntervalMs,
  namesEndpoint,
  type OtlpOptions,
  type OtlpOutputOptions,
  type OtlpSettings,
  OtlpSettingsError,
  otlpSettings,
} from './otlp/index.js';
import { type Output, OutputError } from './output.js';

type OtlpSection = NonNullable<OutputsConfig['otlp']>;

/** In place of an address that the environment gives. */
const UNUSED = 'http://localhost';

/** Flags and the file go before the OTEL_* variables, except that OTEL_SDK_DISABLED switches all off. Throws OutputError. */
export function openOtlp(section: OtlpSection, config: OutputsConfig, environment: OutputsEnvironment): Output[] {
  const { env, onMessage } = environment;
  if (isDisabled(env)) {
    onMessage('OTEL_SDK_DISABLED is true: nothing is sent over OTLP');
    return [];
  }
  try {
    const settings = otlpSettings(optionsOf(section, config, environment), env);
    for (const mistake of settings.mistakes) onMessage(mistake);
    const here = localOutputs(settings, section, config, environment);
    const asked = Object.values(settings.choices).some((choice) => choice.asked);
    const sends = section.endpoint !== undefined || here.length === 0 || asked || namesEndpoint(env);
    return sends ? [...collectorOutputs(settings, config, environment), ...here] : here;
  } catch (error) {
    if (error instanceof OtlpSettingsError) throw new OutputError(error.message, { cause: error });
    throw error;
  }
}

/** To a file, and to people. */
function localOutputs(
  { choices, telemetry }: OtlpSettings,
  { file, console }: OtlpSection,
  config: OutputsConfig,
  environment: OutputsEnvironment,
): Output[] {
  const { writeStdout, stdoutTaken, onMessage } = environment;
  const wanted = { traces: !choices.traces.off, logs: !choices.logs.off };
  const byVariable = { traces: choices.traces.console, logs: choices.logs.console };
  const shown = console === true ? wanted : byVariable;
  const anyShown = shown.traces || shown.logs;
  const ignored = anyShown && console !== true && stdoutTaken === true;
  if (ignored) {
    onMessage(
      'OTEL_*_EXPORTER: console is ignored, for the result goes to standard output; give -o FILE for the result',
    );
  }
  const anyWanted = wanted.traces || wanted.logs;
  return [
    ...(file === undefined || !anyWanted
      ? []
      : [
          createOtlpFileOutput(
            inFolder(file, config),
            { ...telemetry, signals: wanted },
            deliveryOf('otlp-file', config, environment),
          ),
        ]),
    ...(anyShown && !ignored ? [createOtlpConsoleOutput(writeStdout, { ...telemetry, signals: shown })] : []),
  ];
}

function optionsOf(section: OtlpSection, config: OutputsConfig, { env }: OutputsEnvironment): OtlpOptions {
  const { endpoint, protocol, compression, headers, timeout, tls, ratio, traces, logs, metrics } = section;
  const { target } = httpTarget({ url: endpoint ?? UNUSED, headers }, { env, folder: config.folder });
  return {
    ...(endpoint === undefined ? {} : { endpoint: target.url }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(compression === undefined ? {} : { compression }),
    ...(target.headers === undefined ? {} : { headers: target.headers }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(ratio === undefined ? {} : { ratio }),
    ...(traces === undefined ? {} : { traces }),
    ...(logs === undefined ? {} : { logs }),
    ...(metrics === undefined ? {} : { metrics }),
    ...(tls?.ca === undefined ? {} : { caFile: inFolder(tls.ca, config) }),
    ...(tls?.cert === undefined ? {} : { certFile: inFolder(tls.cert, config) }),
    ...(tls?.key === undefined ? {} : { keyFile: inFolder(tls.key, config) }),
  };
}

function collectorOutputs(settings: OtlpSettings, config: OutputsConfig, environment: OutputsEnvironment): Output[] {
  const { env, metrics, continuous, clock, onMessage, trial } = environment;
  const any = settings.traces !== undefined || settings.logs !== undefined;
  const spans = any ? [createOtlpOutput(settings, deliveryOf('otlp', config, environment))] : [];
  if (metrics === undefined || settings.metrics === undefined) return spans;
  const asked = settings.choices.metrics.asked || trial === true;
  const intervalMs = continuous ? metricsIntervalMs(env) : null;
  return [...spans, createOtlpMetricsOutput(metrics, settings.metrics, { intervalMs, clock, asked, onMessage })];
}

/** `name`: of the folder in the spool. */
function deliveryOf(
  name: string,
  config: OutputsConfig,
  { trial, clock, onMessage }: OutputsEnvironment,
): Partial<OtlpOutputOptions> {
  return {
    ...(config.spool?.maxBytes === undefined ? {} : { maxBytes: config.spool.maxBytes }),
    folder: trial === true ? null : spoolFolder(config, name),
    clock,
    onMessage,
  };
}

function inFolder(path: string, { folder }: OutputsConfig): string {
  return isAbsolute(path) ? path : join(folder, path);
}
