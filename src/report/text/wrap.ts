/** Breaking escaped text into lines at spaces. */
import { columnsOf } from './width.js';

/** Lines of at most `columns`; a word that is longer (an address, a path, a flag) stands whole on a line of its own. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').filter((part) => part !== '')) {
    if (line !== '' && columnsOf(line) + 1 + columnsOf(word) > columns) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** Wrapped text, indented by two; lines after the first by four. */
export function indented(text: string, width: number): string[] {
  return wrap(text, width - 4).map((line, at) => `${at === 0 ? '  ' : '    '}${line}`);
}
