/** This program as an OTel resource: what OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say of it. */
import type { Attributes } from '@opentelemetry/api';
import { otelEnvironment } from '../otlp/environment.js';

/** Whoever sends OTLP tells of mistakes in the variables. */
export function resourceOf(env: Readonly<Record<string, string | undefined>>): Attributes {
  const { attributes, serviceName } = otelEnvironment(env);
  return { ...attributes, ...(serviceName === undefined ? {} : { 'service.name': serviceName }) };
}
