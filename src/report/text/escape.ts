/** Log text is untrusted: nothing that a terminal acts on, or that reorders what is read, may pass through. */

// Controls (C0, DEL, C1), bidi marks and overrides, whatever is drawn as nothing, line separators, lone surrogates.
const HARMFUL = /[\p{Control}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Surrogate}\u2028\u2029\ufff9-\ufffb]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': ' ' };

/** One line of text with every control, invisible and bidi character made visible: `\n`, `\x1b`, `\u202e`. */
export function escapeText(text: string): string {
  return text.replace(HARMFUL, (character) => SHORT[character] ?? escapeCharacter(character));
}

/** For sentences of rules: line breaks and runs of white space are one space, the rest as escapeText. */
export function escapeProse(text: string): string {
  return escapeText(text.replace(/[ \t\r\n]+/g, ' ').trim());
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}
