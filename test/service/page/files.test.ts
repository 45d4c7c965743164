/** The page's files: which are served, and that each one is asked for by another. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readPage } from '../../../src/service/page/files.js';

const page = readPage(false);
const text = (path: string) => page.get(path)?.body.toString('utf8') ?? '';

test('the document, and beside it only what a browser can use', () => {
  expect(page.get('/')?.type).toBe('text/html; charset=utf-8');
  for (const [path, { type }] of page) {
    expect(path).toMatch(/^\/(assets\/[a-z-]+\.(css|js|svg))?$/);
    expect(type).toMatch(/; charset=utf-8$/);
  }
});

test('every file is reached from the document, and nothing else is asked for', () => {
  const reached = new Set<string>();
  const follow = (path: string) => {
    if (reached.has(path)) return;
    reached.add(path);
    const asked =
      path === '/'
        ? [...text(path).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)]
        : [...text(path).matchAll(/^(?:import|\} from) .*?'\.(\/[^']+)';$/gm)].map(([, name]) => [
            '',
            `/assets${name}`,
          ]);
    for (const [, next] of asked) follow(next ?? '');
  };
  follow('/');
  expect([...reached].sort()).toEqual([...page.keys()].sort());
});

test('what lives beside the files reads the marker that the server sets', () => {
  const marker = /<meta name="skewscope-access" content="(\w+)">/;
  expect(marker.exec(text('/'))?.[1]).toBe('open');
  expect(marker.exec(readPage(true).get('/')?.body.toString('utf8') ?? '')?.[1]).toBe('token');
  expect(text('/assets/access.js')).toContain(`meta[name="skewscope-access"]`);
});

test('no file builds markup from text, and none is built to run text', () => {
  const dangerous = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|\.setHTML/;
  for (const path of page.keys()) expect([path, dangerous.test(text(path))]).toEqual([path, false]);
});

test('the build copies what is served', () => {
  const source = readFileSync(new URL('../../../src/service/page/write-assets.ts', import.meta.url), 'utf8');
  const copied = new RegExp(/if \(\/(.+)\/\.test/.exec(source)?.[1] ?? '^$');
  const names = [...page.keys()].map((path) => (path === '/' ? 'index.html' : path.slice('/assets/'.length)));
  expect(names.filter((name) => !copied.test(name))).toEqual([]);
});
