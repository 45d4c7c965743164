/** Where and how OTLP is sent: explicit options first, then the standard OTEL_EXPORTER_OTLP_* variables, then their defaults. */
import { proxyFor } from '../delivery/proxy-variables.js';
import { OutputError } from '../output.js';
import { PREFIX } from './endpoint-variables.js';
import { otelEnvironment } from './environment.js';
import { parseHeaders } from './header-list.js';
import { safeText } from './safe-text.js';
import { samplerRatio } from './sampler.js';
import { choiceOf, type Signal, type SignalChoice, type SignalWishes } from './signal.js';
import type { TelemetryOptions } from './telemetry.js';

export const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export const COMPRESSIONS = ['none', 'gzip'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** What flags and the configuration file say; each wins over the environment. */
export interface OtlpOptions extends SignalWishes {
  /** Base URL; `/v1/traces` and so on are added. */
  readonly endpoint?: string;
  readonly protocol?: Protocol;
  readonly headers?: Readonly<Record<string, string>>;
  /** For one request, in milliseconds. */
  readonly timeoutMs?: number;
  readonly compression?: Compression;
  readonly ratio?: number;
  /** Paths of PEM files: who may have issued the receiver's certificate, and what this program shows of itself. */
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface SignalSettings {
  readonly url: URL;
  readonly protocol: Protocol;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: Compression;
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** By way of which the URL is reached. */
  readonly proxy: URL | undefined;
}

/** By signal where it goes; undefined where it is not sent. */
export interface OtlpSettings extends Readonly<Record<Signal, SignalSettings | undefined>> {
  readonly choices: Readonly<Record<Signal, SignalChoice>>;
  /** How spans and log records are made. */
  readonly telemetry: TelemetryOptions;
  /** Variables that are left out of account. */
  readonly mistakes: readonly string[];
}

/** A setting that cannot be used: which one, and what it should be. Values are not quoted: they may hold secrets. */
export class OtlpSettingsError extends OutputError {}

type Env = Readonly<Record<string, string | undefined>>;

const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;

/** Of a signal that is not sent nothing is looked at. Throws OtlpSettingsError. */
export function otlpSettings(options: OtlpOptions, env: Env): OtlpSettings {
  const told = otelEnvironment(env);
  const of = (signal: Signal) => choiceOf(signal, options, told, env);
  const choices = { traces: of('traces'), logs: of('logs'), metrics: of('metrics') };
  const settingsOf = (signal: Signal) => (choices[signal].otlp ? signalSettings(signal, options, env) : undefined);
  const ratio = options.ratio ?? samplerRatio(env) ?? 1;
  if (typeof ratio === 'object') throw new OtlpSettingsError(ratio.wrong);
  const { attributes, serviceName, limits, batch, mistakes } = told;
  return {
    traces: settingsOf('traces'),
    logs: settingsOf('logs'),
    metrics: settingsOf('metrics'),
    choices,
    telemetry: { ratio, attributes, limits, batch, ...(serviceName === undefined ? {} : { serviceName }) },
    mistakes,
  };
}

function signalSettings(signal: Signal, options: OtlpOptions, env: Env): SignalSettings {
  const read = (name: string) => variable(signal, name, env);
  const certFile = options.certFile ?? read('CLIENT_CERTIFICATE')?.value;
  const keyFile = options.keyFile ?? read('CLIENT_KEY')?.value;
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new OtlpSettingsError('OTLP: a client certificate needs its key and the other way round; give both files');
  }
  const url = urlOf(signal, options, env);
  return {
    url,
    proxy: proxyFor(url, env),
    protocol: options.protocol ?? oneOf(PROTOCOLS, read('PROTOCOL')) ?? 'http/protobuf',
    headers: headersOf(signal, options, env),
    timeoutMs: options.timeoutMs ?? timeoutOf(read('TIMEOUT')) ?? DEFAULT_TIMEOUT_MS,
    compression: options.compression ?? oneOf(COMPRESSIONS, read('COMPRESSION')) ?? 'none',
    caFile: options.caFile ?? read('CERTIFICATE')?.value,
    certFile,
    keyFile,
  };
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** The variable of the signal, else the general one; an empty one counts as absent. */
function variable(signal: Signal, name: string, env: Env): Variable | undefined {
  for (const full of [`${PREFIX}${signal.toUpperCase()}_${name}`, `${PREFIX}${name}`]) {
    const value = env[full]?.trim() ?? '';
    if (value !== '') return { name: full, value };
  }
  return undefined;
}

/** A base URL gets the signal's path; the URL of a single signal is taken as it stands. */
function urlOf(signal: Signal, options: OtlpOptions, env: Env): URL {
  if (options.endpoint !== undefined) return joined({ name: 'the OTLP endpoint', value: options.endpoint }, signal);
  const own = env[`${PREFIX}${signal.toUpperCase()}_ENDPOINT`]?.trim() ?? '';
  if (own !== '') return parsed({ name: `${PREFIX}${signal.toUpperCase()}_ENDPOINT`, value: own });
  const base = env[`${PREFIX}ENDPOINT`]?.trim() ?? '';
  return joined({ name: `${PREFIX}ENDPOINT`, value: base === '' ? DEFAULT_ENDPOINT : base }, signal);
}

function joined(base: Variable, signal: Signal): URL {
  const url = parsed(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/${signal}`;
  return url;
}

function parsed({ name, value }: Variable): URL {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new OtlpSettingsError(`${name} is no http or https URL, such as ${DEFAULT_ENDPOINT}`);
  }
  return url;
}

function headersOf(signal: Signal, options: OtlpOptions, env: Env): Record<string, string> {
  const names = [`${PREFIX}HEADERS`, `${PREFIX}${signal.toUpperCase()}_HEADERS`];
  const headers: Record<string, string> = {};
  for (const name of names) {
    const list = parseHeaders(env[name] ?? '');
    if (list === undefined) {
      throw new OtlpSettingsError(`${name} is no list of headers: write name=value,name=value, percent-encoded`);
    }
    Object.assign(headers, list);
  }
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
  return headers;
}

function timeoutOf(given: Variable | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = Number(given.value);
  if (Number.isInteger(ms) && ms > 0) return ms;
  throw new OtlpSettingsError(`${given.name} must be a whole number of milliseconds above 0`);
}

function oneOf<T extends string>(known: readonly T[], given: Variable | undefined): T | undefined {
  if (given === undefined) return undefined;
  const found = known.find((value) => value === given.value);
  if (found !== undefined) return found;
  if (given.value === 'grpc') {
    throw new OtlpSettingsError(
      `${given.name} is grpc, which is not spoken here: set it to http/protobuf and give the port of OTLP over HTTP, ` +
        'which is 4318 where that of gRPC is 4317',
    );
  }
  const shown = safeText(given.value, 40);
  throw new OtlpSettingsError(`${given.name} is ${shown}, which is not supported; use ${known.join(' or ')}`);
}
