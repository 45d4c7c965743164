/** Reads the secrets and files that the service's sections name. */

import type { KafkaSettings } from '../kafka/settings.js';
import { kafkaSettings, tlsOptions } from '../outputs/create-options.js';
import { resolveText, type SecretSource } from '../outputs/delivery/secrets.js';
import { OutputError } from '../outputs/output.js';
import type { Config } from './config.js';
import { ConfigError } from './parse-config.js';
import type { ServerTlsFiles } from './service-config.js';

export interface ServiceSecrets {
  /** undefined where the configuration has no section kafka. */
  readonly kafka: KafkaSettings | undefined;
  readonly admin: ServerAccess;
  /** undefined where there is no webhook. */
  readonly webhook: ServerAccess | undefined;
}

/** How one server proves who it is, and what it asks of clients. */
export interface ServerAccess {
  /** Bearer token that clients must send. */
  readonly token?: string;
  /** Left out: plain HTTP. */
  readonly tls?: ServerTls;
}

/** PEM texts. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Given: clients must show a certificate that these authorities signed. */
  readonly clientCa?: string;
}

const TOKEN = /^[\u0021-\u007e]+$/;

/** Why a text is no bearer token, to be put behind where it comes from; '' when it is one. */
export function tokenMistake(text: string): string {
  return TOKEN.test(text) ? '' : 'leads to a text with blanks, line breaks or other than ASCII characters';
}

/** Can be called again when files may have changed. Throws ConfigError, which names the key and never a secret. */
export function serviceSecrets({ kafka, listen, folder }: Config, env: SecretSource['env']): ServiceSecrets {
  const source: SecretSource = { env, folder };
  const { token, tls, webhook } = listen;
  return {
    kafka: kafka && named('kafka', () => kafkaSettings(kafka.connection, source)),
    admin: named('listen', () => serverAccess({ token, tls }, source)),
    webhook: webhook && named('listen.webhook', () => serverAccess(webhook, source)),
  };
}

function serverAccess(
  { token, tls }: { readonly token: string | undefined; readonly tls: ServerTlsFiles | undefined },
  source: SecretSource,
): ServerAccess {
  return {
    ...(token === undefined ? {} : { token: tokenText(token, source) }),
    ...(tls === undefined ? {} : { tls: serverTls(tls, source) }),
  };
}

function tokenText(reference: string, source: SecretSource): string {
  const token = resolveText(reference, source);
  const mistake = tokenMistake(token);
  if (mistake === '') return token;
  throw new OutputError(`the token cannot be used: ${reference} ${mistake}`);
}

function serverTls({ cert, key, clientCa }: ServerTlsFiles, source: SecretSource): ServerTls {
  const { cert: certPem = '', key: keyPem = '' } = tlsOptions({ cert, key }, source);
  const ca = clientCa === undefined ? undefined : tlsOptions({ ca: clientCa }, source).ca;
  return { cert: certPem, key: keyPem, ...(ca === undefined ? {} : { clientCa: ca }) };
}

function named<T>(section: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutputError) throw new ConfigError(`${section}: ${error.message}`, { cause: error });
    throw error;
  }
}
