/** Secrets that would travel without encryption. */
import type { Config } from '../config.js';
import { isLoopbackHost } from '../listen-address.js';
import type { Remark } from './remark.js';

export function inTheClear({ kafka, listen }: Config): Remark[] {
  const warnings: Remark[] = [];
  const warn = (path: Remark['path'], message: string) => warnings.push({ level: 'warning', path, message });
  const { connection } = kafka ?? {};
  const sasl = connection?.sasl?.mechanism;
  if (connection?.tls === undefined && (sasl === 'plain' || sasl === 'oauthbearer')) {
    warn(['kafka', 'sasl'], 'sends its secret to the brokers unencrypted; give kafka.tls');
  }
  const { admin, token, tls, webhook } = listen;
  if (admin !== undefined && !isLoopbackHost(admin.host) && token !== undefined && tls === undefined) {
    warn(['listen', 'token'], 'travels unencrypted; give listen.tls, unless something in front of it speaks TLS');
  }
  if (webhook !== undefined && !isLoopbackHost(webhook.address.host) && webhook.tls === undefined) {
    warn(['listen', 'webhook'], 'takes audit events, and its token, unencrypted; give listen.webhook.tls');
  }
  return warnings;
}
