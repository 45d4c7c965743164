/** Certificates for one test's Kafka: an authority, a server for the name `kafka.test`, and a client. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Certs {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export const SERVER_NAME = 'kafka.test';

/** Writes the server's into `folder` and gives what a client needs, as PEM text. */
export function makeCerts(folder: string): Certs {
  const file = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca-key.pem', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=test-ca');
  for (const [name, subject] of [
    ['server', SERVER_NAME],
    ['client', 'skewscope'],
  ] as const) {
    openssl('req', ...key, '-keyout', `${name}-key.pem`, '-out', `${name}.csr`, '-subj', `/CN=${subject}`);
    writeFileSync(file('names.cnf'), `subjectAltName=DNS:${subject}\n`);
    const authority = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-extfile', 'names.cnf'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...authority, '-days', '2', '-out', `${name}.pem`);
  }
  const text = (name: string) => readFileSync(file(name), 'utf8');
  writeFileSync(file('server-both.pem'), text('server-key.pem') + text('server.pem'));
  return { ca: text('ca.pem'), cert: text('client.pem'), key: text('client-key.pem') };
}
