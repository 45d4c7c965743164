/** The OTLP output of the configuration. */
import { isAbsolute, join } from 'node:path';
import type { OutputsConfig } from '../config/config.js';
import type { OutputsEnvironment } from './create.js';
import { httpTarget, spoolFolder } from './create-options.js';
import { createOtlpOutput, OtlpSettingsError, otlpSettings } from './otlp/index.js';
import { type Output, OutputError } from './output.js';

type OtlpSection = NonNullable<OutputsConfig['otlp']>;

/** In place of an address that the environment gives. */
const UNUSED = 'http://localhost';

/** Flags and the file go before the OTEL_EXPORTER_OTLP_* variables. Throws OutputError. */
export function openOtlp(settings: OtlpSection, config: OutputsConfig, environment: OutputsEnvironment): Output {
  const { endpoint, protocol, compression, headers, timeout, tls, ratio } = settings;
  const source = { env: environment.env, folder: config.folder };
  const { target } = httpTarget({ url: endpoint ?? UNUSED, headers }, source);
  const file = (path: string) => (isAbsolute(path) ? path : join(config.folder, path));
  const options = {
    ...(endpoint === undefined ? {} : { endpoint: target.url }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(compression === undefined ? {} : { compression }),
    ...(target.headers === undefined ? {} : { headers: target.headers }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(tls?.ca === undefined ? {} : { caFile: file(tls.ca) }),
    ...(tls?.cert === undefined ? {} : { certFile: file(tls.cert) }),
    ...(tls?.key === undefined ? {} : { keyFile: file(tls.key) }),
  };
  const { clock, onMessage, trial } = environment;
  try {
    return createOtlpOutput(otlpSettings(options, environment.env), {
      ...(ratio === undefined ? {} : { ratio }),
      ...(config.spool?.maxBytes === undefined ? {} : { maxBytes: config.spool.maxBytes }),
      folder: trial === true ? null : spoolFolder(config, 'otlp'),
      clock,
      onMessage,
    });
  } catch (error) {
    if (error instanceof OtlpSettingsError) throw new OutputError(error.message, { cause: error });
    throw error;
  }
}
