/** What the settings of one output mean for delivery and for HTTP. */
import { join } from 'node:path';
import { addressMistake, isReference } from '../config/address.js';
import type { OutputsConfig } from '../config/config.js';
import { inFolder } from '../config/in-folder.js';
import type { ClientTlsFiles, KafkaConnectionConfig, SaslConfig } from '../config/service-config.js';
import type { KafkaSettings, SaslSettings } from '../kafka/settings.js';
import type { OutputsEnvironment } from './create.js';
import type { HttpClientOptions, TlsOptions } from './delivery/http-client.js';
import { proxyFor } from './delivery/proxy-variables.js';
import type { DeliveryOptions } from './delivery/reliable-output.js';
import { readBounded, resolveText, type SecretSource } from './delivery/secrets.js';
import { OutputError } from './output.js';

type Kind = 'alertmanager' | 'webhook' | 'slack' | 'pagerduty' | 'ndjson' | 'kafka';
type Settings = NonNullable<OutputsConfig[Kind]>[number];
export type CommonSettings = Pick<Settings, 'name' | 'minSeverity' | 'group' | 'storm' | 'timeout' | 'maxAge'>;

interface HttpSettings {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly bearerToken?: string | undefined;
  readonly tls?: ClientTlsFiles | undefined;
}

type KafkaConnectionSettings = Omit<KafkaConnectionConfig, 'clientId'> & { readonly clientId?: string | undefined };

/** Only what is configured: each kind of output has defaults of its own. */
export function deliveryOptions(
  { minSeverity, group, storm, timeout, maxAge }: CommonSettings,
  id: string,
  config: OutputsConfig,
  { continuous, clock, onMessage, trial }: OutputsEnvironment,
): Partial<DeliveryOptions> {
  const { spool } = config;
  return {
    ...(trial === true ? { minSeverity: 'info' } : minSeverity === undefined ? {} : { minSeverity }),
    ...(group === undefined ? {} : { group }),
    ...(storm === undefined ? {} : { storm: { limit: storm.limit, windowMs: storm.window } }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    ...(maxAge === undefined ? {} : { maxAgeMs: maxAge }),
    ...(spool?.maxBytes === undefined ? {} : { maxBytes: spool.maxBytes }),
    ...(spool?.fsync === undefined ? {} : { fsync: spool.fsync }),
    folder: trial === true ? null : spoolFolder(config, id),
    continuous,
    clock,
    onMessage,
  };
}

/** The folder of one output; null when nothing is kept on disk. */
export function spoolFolder({ spool, folder }: OutputsConfig, id: string): string | null {
  return spool === undefined ? null : join(inFolder(spool.dir, folder), id);
}

/** Where to post to, and the texts of it that must not be shown. Throws OutputError. */
export function httpTarget(
  settings: HttpSettings,
  source: SecretSource,
): { readonly target: HttpClientOptions; readonly secrets: readonly string[] } {
  const url = resolveText(settings.url, source);
  const mistake = isReference(settings.url) ? addressMistake(url, true) : '';
  if (mistake !== '') throw new OutputError(`what ${settings.url} leads to ${mistake}`);
  const headers: Record<string, string> = {};
  const secrets: string[] = isReference(settings.url)
    ? [url, ...credentialsOf(url)]
    : [...new URL(url).searchParams.values()];
  for (const [name, value] of Object.entries(settings.headers ?? {})) {
    const header = headerText(name, resolveText(value, source));
    headers[name.toLowerCase()] = header;
    if (isReference(value)) secrets.push(header);
  }
  if (settings.bearerToken !== undefined) {
    const token = headerText('authorization', resolveText(settings.bearerToken, source));
    headers.authorization = `Bearer ${token}`;
    secrets.push(token);
  }
  const proxy = proxyFor(new URL(url), source.env);
  return {
    target: {
      url,
      headers,
      ...(settings.tls === undefined ? {} : { tls: tlsOptions(settings.tls, source) }),
      ...(proxy === undefined ? {} : { proxy }),
    },
    secrets,
  };
}

/** Reads the PEM files. Throws OutputError. */
export function tlsOptions({ ca, cert, key, serverName }: ClientTlsFiles, { folder }: SecretSource): TlsOptions {
  if ((cert === undefined) !== (key === undefined)) {
    throw new OutputError('a client certificate needs its key and the other way round: give tls.cert and tls.key');
  }
  const pem = (path: string) => readPem(inFolder(path, folder));
  return {
    ...(ca === undefined ? {} : { ca: pem(ca) }),
    ...(cert === undefined ? {} : { cert: pem(cert) }),
    ...(key === undefined ? {} : { key: pem(key) }),
    ...(serverName === undefined ? {} : { serverName }),
  };
}

/** Reads the PEM files and the password of a way to Kafka. Throws OutputError. */
export function kafkaSettings(
  { brokers, clientId = 'skewscope', tls, sasl, sessionMs }: KafkaConnectionSettings,
  source: SecretSource,
): KafkaSettings {
  return {
    brokers,
    clientId,
    ...(tls === undefined ? {} : { tls: tlsOptions(tls, source) }),
    ...(sasl === undefined ? {} : { sasl: saslSettings(sasl, source) }),
    ...(sessionMs === undefined ? {} : { sessionMs }),
  };
}

function saslSettings(sasl: SaslConfig, source: SecretSource): SaslSettings {
  if (sasl.mechanism !== 'oauthbearer') return { ...sasl, password: resolveText(sasl.password, source) };
  // It is read anew for each connection; a wrong path is told now.
  const tokenFile = inFolder(sasl.tokenFile, source.folder);
  readBounded(tokenFile);
  return { mechanism: 'oauthbearer', tokenFile };
}

function readPem(path: string): string {
  const text = readBounded(path);
  if (!text.includes('-----BEGIN ')) throw new OutputError(`${path}: no certificate or key in PEM form`);
  return text;
}

function headerText(name: string, value: string): string {
  if (/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) return value;
  throw new OutputError(`the value of header ${name} holds line breaks or characters that HTTP does not allow`);
}

function credentialsOf(url: string): string[] {
  const { username, password, pathname, search } = new URL(url);
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return [username, password, basic, pathname, search].filter((text) => text.length > 3);
}
