/** Text from logs is hostile: what reorders, hides or breaks is written out before it is shown. */

// Controls, bidi marks and overrides, whatever is drawn as nothing, line separators, lone surrogates.
const HARMFUL = /[\p{Control}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u2028\u2029\ufff9-\ufffb]/gu;
/** @type {Readonly<Record<string, string>>} */
const SHORT = { '\n': '\\n', '\r': '\\r', '\t': ' ' };
const MOST = 4096;
const NAME = 64;

/**
 * One line of text with every control, invisible and bidi character made visible: `\n`, `\x1b`, `\u202e`.
 * @param {string} text
 * @param {number} [most] characters of it that are shown
 */
export function visible(text, most = MOST) {
  const seen = text.length > most ? `${text.slice(0, most)}…` : text;
  return seen.replace(HARMFUL, (character) => SHORT[character] ?? written(character));
}

/**
 * A name that leaves room for others: at most 64 characters, the middle cut out of longer ones.
 * @param {string} text
 */
export function shortName(text) {
  const seen = [...visible(text)];
  if (seen.length <= NAME) return seen.join('');
  const half = NAME / 2;
  return `${seen.slice(0, half).join('')}…${seen.slice(1 - half).join('')}`;
}

/** @param {string} character */
function written(character) {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
