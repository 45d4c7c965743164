/** Which OTEL_EXPORTER_OTLP_*ENDPOINT variables are set: who names a receiver wants something sent. */
import { isDisabled } from './environment.js';
import type { Signal } from './signal.js';

type Env = Readonly<Record<string, string | undefined>>;

export const PREFIX = 'OTEL_EXPORTER_OTLP_';
const NAMES = ['TRACES', 'LOGS', 'METRICS'] as const;

export function hasOwnEndpoint(signal: Signal, env: Env): boolean {
  return isSet(`${PREFIX}${signal.toUpperCase()}_ENDPOINT`, env);
}

export function hasGeneralEndpoint(env: Env): boolean {
  return isSet(`${PREFIX}ENDPOINT`, env);
}

/** Of any signal. */
export function namesEndpoint(env: Env): boolean {
  return hasGeneralEndpoint(env) || NAMES.some((name) => isSet(`${PREFIX}${name}_ENDPOINT`, env));
}

/**
 * True when the environment names an endpoint, or the console for spans or log records, and does not switch the SDK off:
 * OTLP is on then without a flag.
 */
export function isOtlpInEnvironment(env: Env): boolean {
  return (
    !isDisabled(env) && (namesEndpoint(env) || CONSOLE.some((name) => /(^|,)\s*console\s*(,|$)/i.test(env[name] ?? '')))
  );
}

const CONSOLE = ['OTEL_TRACES_EXPORTER', 'OTEL_LOGS_EXPORTER'];

function isSet(name: string, env: Env): boolean {
  return (env[name]?.trim() ?? '') !== '';
}
