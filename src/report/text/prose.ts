/** Texts of rules: sentences that may be wrapped, and indented lines (commands, flags) that must stay as they are. */
import { escapeProse, escapeText } from './escape.js';
import { wrap } from './wrap.js';

interface Layout {
  readonly indent: number;
  readonly label: number;
  readonly width: number;
}

/**
 * A label in a column of its own with the text beside it: `   Fix      On cp1, add …`. Lines of the text that are
 * indented by two or more stand alone and are never broken, so that commands can be copied; no lines for an empty text.
 */
export function labelledProse(label: string, text: string, layout: Layout): string[] {
  const start = layout.indent + layout.label;
  const lines = blocks(text).flatMap((block) =>
    block.literal ? [`  ${block.text}`] : wrap(block.text, Math.max(20, layout.width - start)),
  );
  return lines.map((line, at) => `${' '.repeat(layout.indent)}${(at === 0 ? label : '').padEnd(layout.label)}${line}`);
}

function blocks(text: string): { literal: boolean; text: string }[] {
  const found: { literal: boolean; text: string }[] = [];
  let sentences: string[] = [];
  const close = () => {
    const paragraph = escapeProse(sentences.join(' '));
    if (paragraph !== '') found.push({ literal: false, text: paragraph });
    sentences = [];
  };
  for (const line of text.split(/\r?\n/)) {
    if (/^(?: {2}|\t)\s*\S/.test(line)) {
      close();
      found.push({ literal: true, text: escapeText(line.replace(/^(?: {2}|\t)/, '').trimEnd()) });
    } else if (line.trim() === '') {
      close();
    } else {
      sentences.push(line);
    }
  }
  close();
  return found;
}
