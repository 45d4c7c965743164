/** What the standard OTEL_* variables say beside the endpoints: off, exporters, the resource, limits. */
import type { Attributes } from '@opentelemetry/api';
import type { AttributeLimits } from './attribute-limits.js';
import { safeText } from './safe-text.js';
import type { Signal } from './signal.js';

type Env = Readonly<Record<string, string | undefined>>;

export interface OtelEnvironment {
  /** OTEL_SDK_DISABLED is true: nothing goes out by any exporter. */
  readonly disabled: boolean;
  /** The exporters named for a signal that are known; undefined where none is named. */
  readonly exporters: Readonly<Record<Signal, readonly Exporter[] | undefined>>;
  /** Of this program; undefined: it has its own name. */
  readonly serviceName: string | undefined;
  /** OTEL_RESOURCE_ATTRIBUTES without the name of the service. */
  readonly attributes: Attributes;
  readonly limits: Readonly<Record<'traces' | 'logs', AttributeLimits>>;
  /** Spans, or log records, of one message. */
  readonly batch: Readonly<Record<'traces' | 'logs', number | undefined>>;
  /** Variables that are left out of account, and why; no values are quoted that may be secret. */
  readonly mistakes: readonly string[];
}

export const EXPORTERS = ['none', 'otlp', 'console', 'prometheus'] as const;
export type Exporter = (typeof EXPORTERS)[number];

/** As the specification has it, a variable with a mistake counts as absent, and the mistake is told. */
export function otelEnvironment(env: Env): OtelEnvironment {
  const mistakes: string[] = [];
  const read = (name: string) => env[name]?.trim() ?? '';
  const number = (...names: readonly string[]) => firstNumber(names, read, mistakes);
  const { 'service.name': named, ...attributes } = resourceAttributes(read('OTEL_RESOURCE_ATTRIBUTES'), mistakes);
  const serviceName = read('OTEL_SERVICE_NAME') || named;
  const limitsOf = (prefix: string): AttributeLimits => ({
    length: number(`${prefix}_ATTRIBUTE_VALUE_LENGTH_LIMIT`, 'OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT'),
    count: number(`${prefix}_ATTRIBUTE_COUNT_LIMIT`, 'OTEL_ATTRIBUTE_COUNT_LIMIT'),
  });
  const batchOf = (prefix: string) => {
    const size = number(`${prefix}_MAX_EXPORT_BATCH_SIZE`);
    return size === 0 ? undefined : size;
  };
  return {
    disabled: isDisabled(env),
    exporters: exportersOf(read, mistakes),
    serviceName: serviceName === undefined ? undefined : safeText(serviceName, MAX_VALUE),
    attributes,
    limits: { traces: limitsOf('OTEL_SPAN'), logs: limitsOf('OTEL_LOGRECORD') },
    batch: { traces: batchOf('OTEL_BSP'), logs: batchOf('OTEL_BLRP') },
    mistakes: [...new Set(mistakes)],
  };
}

/** Only `true` in any case switches off; all else counts as false. */
export function isDisabled(env: Env): boolean {
  return env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true';
}

const MAX_VALUE = 255;
const MAX_ATTRIBUTES = 64;

/** Percent-encoded `name=value,name=value`. One mistake makes all of it void: a half-read resource would mislead. */
function resourceAttributes(text: string, mistakes: string[]): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (const part of text.split(',').map((entry) => entry.trim())) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decoded(part.slice(0, Math.max(0, at)).trim());
    const value = decoded(part.slice(at + 1).trim());
    const tooMany = Object.keys(attributes).length >= MAX_ATTRIBUTES;
    if (name === undefined || !/^[\w.:/-]{1,255}$/.test(name) || value === undefined || tooMany) {
      mistakes.push(
        tooMany
          ? `OTEL_RESOURCE_ATTRIBUTES is ignored: it has more than ${MAX_ATTRIBUTES} attributes`
          : 'OTEL_RESOURCE_ATTRIBUTES is ignored: it is no list name=value,name=value with percent-encoded values',
      );
      return {};
    }
    attributes[name] = safeText(value, MAX_VALUE);
  }
  return attributes;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function exportersOf(read: (name: string) => string, mistakes: string[]): OtelEnvironment['exporters'] {
  const of = (signal: Signal): readonly Exporter[] | undefined => {
    const name = `OTEL_${signal.toUpperCase()}_EXPORTER`;
    const words = read(name)
      .toLowerCase()
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
    const known = EXPORTERS.filter((exporter) => words.includes(exporter) && fits(exporter, signal));
    const foreign = words.filter((word) => !known.some((exporter) => exporter === word));
    if (foreign.length > 0) {
      const shown = safeText(foreign.join(', '), 60);
      mistakes.push(`${name}: ${shown} is not known here and ignored; ${SIGNALS_ADVICE[signal]}`);
    }
    return known.length === 0 ? undefined : known;
  };
  return { traces: of('traces'), logs: of('logs'), metrics: of('metrics') };
}

/** Metrics are not written to people; spans and records are not scraped. */
function fits(exporter: Exporter, signal: Signal): boolean {
  if (exporter === 'console') return signal !== 'metrics';
  return exporter !== 'prometheus' || signal === 'metrics';
}

const SIGNALS_ADVICE: Readonly<Record<Signal, string>> = {
  traces: 'use otlp, console or none',
  logs: 'use otlp, console or none',
  metrics: 'use otlp or none; watch --metrics-listen serves them to Prometheus',
};

function firstNumber(names: readonly string[], read: (name: string) => string, mistakes: string[]): number | undefined {
  for (const name of names) {
    const text = read(name);
    if (text === '') continue;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    mistakes.push(`${name} is ignored: it must be a whole number`);
  }
  return undefined;
}
