/** Log text on its way into a sentence: bounded, on one line, nothing that moves a cursor or turns text around. */

const INVISIBLE =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udfff]/gu;

/** Longest piece of log text that a sentence quotes, in characters. */
export const MAX_PIECE = 300;

/** One piece of untrusted text for people: control and invisible characters become blanks, long text is cut. */
export function cleanText(text: string, limit: number = MAX_PIECE): string {
  const head = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const clean = head.replace(INVISIBLE, ' ').replace(/ {2,}/g, ' ').trim();
  const characters = [...clean];
  return characters.length > limit || head.length < text.length ? `${characters.slice(0, limit).join('')}…` : clean;
}

/** A word for a shell command line: as it is when harmless, else in single quotes. */
export function shellWord(text: string): string {
  const word = cleanText(text);
  return /^[A-Za-z0-9_/.][A-Za-z0-9_.:/@%+=,-]*$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
