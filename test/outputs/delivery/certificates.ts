/** Certificates for TLS on loopback, made anew: nothing secret lies in the repository. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { makeFolder } from '../../sources/folder.js';

export interface Pem {
  readonly cert: string;
  readonly key: string;
}

/** A CA, a certificate for 127.0.0.1 and localhost, and one for a client. `folder` holds them as NAME.crt and NAME.key. */
export function makeCertificates() {
  const { path, drop } = makeFolder();
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: path, stdio: 'pipe' });
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'ca.key');
  openssl('req', '-x509', '-new', '-key', 'ca.key', '-subj', '/CN=test CA', '-days', '2', '-out', 'ca.crt');
  for (const [name, extension] of [
    ['server', 'subjectAltName=IP:127.0.0.1,DNS:localhost'],
    ['client', 'extendedKeyUsage=clientAuth'],
  ] as const) {
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`);
    openssl('req', '-new', '-key', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
    writeFileSync(`${path}/${name}.ext`, extension);
    const signing = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-out', `${name}.crt`);
  }
  const pem = (name: string): Pem => ({
    cert: readFileSync(`${path}/${name}.crt`, 'utf8'),
    key: readFileSync(`${path}/${name}.key`, 'utf8'),
  });
  return { folder: path, drop, ca: pem('ca').cert, server: pem('server'), client: pem('client') };
}
