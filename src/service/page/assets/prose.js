/** Texts of rules: paragraphs, and indented lines (commands, flags) that are shown as they are and can be copied. */
import { h } from './dom.js';
import { visible } from './visible.js';

/**
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function prose(text) {
  return blocks(text).map(({ literal, lines }) =>
    literal
      ? h(
          'div',
          { class: 'command' },
          h('pre', {}, h('code', {}, lines.map((line) => visible(line)).join('\n'))),
          h('button', { type: 'button', 'data-action': 'copy' }, 'Copy'),
        )
      : h('p', {}, visible(lines.join(' ').replace(/\s+/g, ' '))),
  );
}

/** @param {string} text */
export function blocks(text) {
  /** @type {{ literal: boolean, lines: string[] }[]} */
  const found = [];
  let open = false;
  for (const line of text.split(/\r?\n/)) {
    const literal = /^(?: {2}|\t)\s*\S/.test(line);
    const last = found.at(-1);
    if (line.trim() === '') {
      open = false;
    } else if (open && last?.literal === literal) {
      last.lines.push(cleaned(line, literal));
    } else {
      found.push({ literal, lines: [cleaned(line, literal)] });
      open = true;
    }
  }
  return found;
}

/**
 * @param {string} line
 * @param {boolean} literal
 */
function cleaned(line, literal) {
  return literal ? line.replace(/^(?: {2}|\t)/, '').trimEnd() : line.trim();
}

/**
 * Copies the command beside the button; where the browser does not let it, the command is selected instead.
 * @param {Element} button
 */
export async function copyBeside(button) {
  const code = button.parentElement?.querySelector('code');
  if (!code) return;
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
}
