/** How many columns a text takes on a terminal, and cutting text to a number of columns. */

// Scripts and symbols that terminals draw two columns wide, coarsely: exact tables are not worth their weight here.
const WIDE =
  /[\u1100-\u115e\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const COMBINING = /^\p{Mark}$/u;

/** Columns of an escaped text: ASCII one each, East Asian wide two, combining marks none. */
export function columnsOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOfCharacter(character);
  return columns;
}

/** The text cut to at most `columns`, with `…` as the last one when something is missing. */
export function cutEnd(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : `${take([...text], columns - 1)}…`;
}

/**
 * As cutEnd, but at a space, so that no name is cut in its middle (unless it fills half of the room). `subject` is whom
 * the text is about: where what is cut away names it, it stands in front.
 */
export function cutWords(text: string, columns: number, subject = ''): string {
  if (columnsOf(text) <= columns) return text;
  const cut = take([...text], columns - 1);
  const atSpace = text[cut.length] === ' ' ? cut : cut.slice(0, Math.max(0, cut.lastIndexOf(' ')));
  const kept = columnsOf(atSpace) > columns / 2 ? atSpace : cut;
  const fits = subject !== '' && columnsOf(subject) < columns / 2;
  return fits && !kept.includes(subject) ? cutWords(`${subject}: ${text}`, columns) : `${kept}…`;
}

/** The text cut to at most `columns` with `…` inside: log lines say when at their start and why at their end. */
export function cutMiddle(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  const head = take([...text], Math.floor((columns - 1) / 2));
  const tail = take([...text].reverse(), columns - 1 - columnsOf(head));
  return `${head}…${[...tail].reverse().join('')}`;
}

function take(characters: readonly string[], columns: number): string {
  let taken = '';
  let left = columns;
  for (const character of characters) {
    left -= columnsOfCharacter(character);
    if (left < 0) break;
    taken += character;
  }
  return taken;
}

function columnsOfCharacter(character: string): number {
  if (COMBINING.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
