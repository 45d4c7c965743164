/** The certificates and the key for sending, read once and checked, so that a wrong file is told before anything is sent. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { explainSystemError } from '../../sources/source.js';
import { OtlpSettingsError, type SignalSettings } from './settings.js';

export interface Tls {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Throws OtlpSettingsError naming the file. Nothing of a file's content is quoted. */
export function loadTls({ caFile, certFile, keyFile }: Pick<SignalSettings, 'caFile' | 'certFile' | 'keyFile'>): Tls {
  return {
    ...(caFile === undefined ? {} : { ca: certificates(caFile) }),
    ...(certFile === undefined ? {} : { cert: certificates(certFile) }),
    ...(keyFile === undefined ? {} : { key: privateKey(keyFile) }),
  };
}

function certificates(path: string): Buffer {
  return checked(path, 'certificates in PEM form', (pem) => new X509Certificate(pem));
}

function privateKey(path: string): Buffer {
  return checked(path, 'a private key in PEM form without a passphrase', (pem) => createPrivateKey(pem));
}

function checked(path: string, expected: string, parse: (pem: Buffer) => unknown): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(path);
  } catch (error) {
    throw new OtlpSettingsError(`OTLP: ${explainSystemError(path, error)}`, { cause: error });
  }
  try {
    parse(content);
  } catch (error) {
    throw new OtlpSettingsError(`OTLP: ${path} does not hold ${expected}`, { cause: error });
  }
  return content;
}
