/** Says which server sent a batch: as its path names it, else its certificate, else its address. */
import { type Answer, refused } from './answer.js';

export interface Named {
  /** '' where the path does not say. */
  readonly server: string;
  readonly cluster: string;
}

const FORMS = '/audit/v1/CLUSTER/SERVER, /audit/v1/SERVER or /';
/** As host names are, and what people call clusters. */
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;

/** What the target of a request names; the query, where an apiserver puts its `timeout=30s`, does not count. */
export function readTarget(target: string): Named | Answer {
  const path = target.split('?', 1)[0] ?? '';
  if (path === '/' || path === '') return { server: '', cluster: '' };
  const [whole, first, second] = /^\/audit\/v1(?:\/([^/]*))?(?:\/([^/]*))?\/?$/.exec(path) ?? [];
  if (whole === undefined) return refused(404, `audit events are taken at ${FORMS}`);
  const names = [first, second].filter((name) => name !== undefined && name !== '');
  if (!names.every((name) => NAME.test(name ?? ''))) {
    return refused(
      400,
      `a name in the path cannot be used; ${FORMS} take letters, digits, '-', '.' and '_', begin and end with a ` +
        'letter or digit, and have at most 253 characters',
    );
  }
  const [server = '', ...rest] = names.reverse();
  return { server, cluster: rest[0] ?? '' };
}

export function isName(text: string): boolean {
  return NAME.test(text);
}

/** How an address is written where it stands for a server: IPv4 as such, without a zone. */
export function addressName(remote: string | undefined): string {
  return (remote ?? 'unknown').replace(/^::ffff:(?=[\d.]+$)/, '').replace(/%.*$/, '');
}
