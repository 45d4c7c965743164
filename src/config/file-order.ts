/** Mistakes of a file in the order in which a reader comes upon them. */

/** Each once; those of other files, and those without a line, come last, as they were. */
export function inFileOrder(messages: readonly string[], file: string): string[] {
  const placed = [...new Set(messages)].map((message) => ({ message, place: placeOf(message, file) }));
  return placed
    .sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
    .map(({ message }) => message);
}

function placeOf(message: string, file: string): { readonly line: number; readonly column: number } {
  const [, line, column] = message.startsWith(`${file}:`)
    ? (/^:(\d+):(\d+): /.exec(message.slice(file.length)) ?? [])
    : [];
  return line === undefined ? { line: LAST, column: 0 } : { line: Number(line), column: Number(column) };
}

const LAST = Number.MAX_SAFE_INTEGER;
