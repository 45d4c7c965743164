/** Whether certificates and keys of the configuration can be read, belong together, and are valid for a while. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readBounded } from '../../outputs/delivery/secrets.js';
import { OutputError } from '../../outputs/output.js';
import { plural } from '../../report/text/page.js';
import type { Config } from '../config.js';
import type { Path } from '../explain.js';
import { inFolder } from '../in-folder.js';
import type { Remark } from './remark.js';

const DAY_MS = 24 * 60 * 60_000;
const SOON_DAYS = 30;
const OUTPUTS = ['alertmanager', 'webhook', 'slack', 'pagerduty', 'kafka'] as const;

interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly clientCa?: string | undefined;
}

export function tlsRemarks(config: Config, nowMs: number): Remark[] {
  return sections(config).flatMap(([path, files]) => remarksOf(path, files, config.folder, nowMs));
}

function sections({ kafka, outputs, listen }: Config): [Path, TlsFiles][] {
  const all: [Path, TlsFiles | undefined][] = [
    [['kafka', 'tls'], kafka?.connection.tls],
    ...OUTPUTS.flatMap((kind) =>
      (outputs?.[kind] ?? []).map(({ tls }, at): [Path, TlsFiles | undefined] => [['outputs', kind, at, 'tls'], tls]),
    ),
    [['outputs', 'otlp', 'tls'], outputs?.otlp?.tls],
    [['listen', 'tls'], listen.tls],
    [['listen', 'webhook', 'tls'], listen.webhook?.tls],
  ];
  return all.flatMap(([path, files]): [Path, TlsFiles][] => (files === undefined ? [] : [[path, files]]));
}

function remarksOf(path: Path, files: TlsFiles, folder: string, nowMs: number): Remark[] {
  const remarks: Remark[] = [];
  const read = <T>(name: keyof TlsFiles, parse: (pem: string) => T, what: string): T | undefined => {
    const file = files[name];
    if (file === undefined) return undefined;
    const full = inFolder(file, folder);
    const fail = (message: string) => remarks.push({ level: 'mistake', path: [...path, name], message });
    try {
      return parse(readBounded(full));
    } catch (error) {
      fail(error instanceof OutputError ? error.message : `names ${full}, which does not hold ${what}`);
      return undefined;
    }
  };
  for (const name of ['ca', 'clientCa'] as const) {
    remarks.push(...datesOf(read(name, certificates, 'certificates in PEM form') ?? [], [...path, name], nowMs));
  }
  const chain = read('cert', certificates, 'certificates in PEM form');
  const key = read('key', (pem) => createPrivateKey(pem), 'a private key in PEM form without a passphrase');
  remarks.push(...datesOf(chain ?? [], [...path, 'cert'], nowMs));
  if (chain !== undefined && key !== undefined && !belongs(chain, key)) {
    remarks.push({
      level: 'mistake',
      path: [...path, 'key'],
      message: `is not the key of the first certificate in ${files.cert}`,
    });
  }
  return remarks;
}

/** Throws when there is none. */
function certificates(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new SyntaxError('no certificate');
  return blocks.map((block) => new X509Certificate(block));
}

function belongs([first]: readonly X509Certificate[], key: KeyObject): boolean {
  return first?.checkPrivateKey(key) === true;
}

function datesOf(chain: readonly X509Certificate[], path: Path, nowMs: number): Remark[] {
  return chain.flatMap((certificate): Remark[] => {
    const name = certificate.subject.split('\n').at(-1) ?? '';
    const from = Date.parse(certificate.validFrom);
    const to = Date.parse(certificate.validTo);
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const left = Math.floor((to - nowMs) / DAY_MS);
    if (to <= nowMs)
      return [
        { level: 'mistake', path, message: `holds a certificate (${name}) that expired on ${day(to)}; renew it` },
      ];
    if (from > nowMs) {
      return [
        {
          level: 'mistake',
          path,
          message: `holds a certificate (${name}) that is valid from ${day(from)} on only; check the clock`,
        },
      ];
    }
    if (left >= SOON_DAYS) return [];
    return [
      {
        level: 'warning',
        path,
        message: `holds a certificate (${name}) that expires on ${day(to)}, in ${plural(left, 'day')}`,
      },
    ];
  });
}
