/** A step of the build: copies the page's files beside the compiled code. */
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const from = new URL('../../../src/service/page/assets/', import.meta.url);
const to = new URL('./assets/', import.meta.url);

mkdirSync(to, { recursive: true });
for (const name of readdirSync(fileURLToPath(from))) {
  if (/\.(?:html|css|js|svg)$/.test(name)) copyFileSync(new URL(name, from), new URL(name, to));
}
