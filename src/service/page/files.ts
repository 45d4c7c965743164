/** The page's files, read once from beside this module: from the sources, or from where the build copied them. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { etagOf } from '../../http/answer.js';

export interface PageFile {
  /** Media type. */
  readonly type: string;
  readonly body: Buffer;
  readonly etag: string;
}

const FOLDER = fileURLToPath(new URL('./assets/', import.meta.url));
const INDEX = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};
/** In the document: whether the reader must be asked for a token. */
const ACCESS = '<meta name="skewscope-access" content="open">';

/** By path: the document at `/`, what it needs under `/assets/`. Only these are served, whatever else is asked for. */
export function readPage(needsToken: boolean): ReadonlyMap<string, PageFile> {
  const page = new Map<string, PageFile>();
  for (const name of pageFileNames()) {
    const body = readFileSync(`${FOLDER}${name}`);
    const type = TYPES[extname(name)] ?? '';
    if (name === INDEX) page.set('/', file(type, needsToken ? asksForToken(body) : body));
    else page.set(`/assets/${name}`, file(type, body));
  }
  return page;
}

/** Files of the page by name; whatever else is in the folder is none. */
export function pageFileNames(): string[] {
  let names: string[];
  try {
    names = readdirSync(FOLDER).filter((name) => Object.hasOwn(TYPES, extname(name)));
  } catch (error) {
    throw new Error(`the page's files are missing at ${FOLDER}; install or build skewscope anew`, { cause: error });
  }
  return names.sort();
}

function asksForToken(document: Buffer): Buffer {
  const text = document.toString('utf8');
  if (!text.includes(ACCESS)) throw new Error(`${INDEX} does not hold ${ACCESS}`);
  return Buffer.from(text.replace(ACCESS, ACCESS.replace('open', 'token')));
}

function file(type: string, body: Buffer): PageFile {
  return { type, body, etag: etagOf(body) };
}
