/** Certificates of the receiver, as Node wants them. */
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { errorText } from '../../model/error-text.js';
import type { WebhookTls } from './options.js';

export function tlsContext({ cert, key, clientCa }: WebhookTls): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', ...(clientCa === undefined ? {} : { ca: clientCa }) };
}

/** Throws Error, with what to do, unless they can be used. */
export function checkTls(tls: WebhookTls): void {
  // OpenSSL takes a text without certificates for an empty list: everybody would be refused.
  if (tls.clientCa !== undefined && !tls.clientCa.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Error('the CA of client certificates holds no PEM certificate');
  }
  try {
    createSecureContext(tlsContext(tls));
  } catch (error) {
    // What OpenSSL says names neither the key nor any part of it.
    const why = errorText(error);
    throw new Error(
      `the certificate, its key or the CA cannot be used: ${why}; all are PEM texts, and key and certificate belong together`,
    );
  }
}
