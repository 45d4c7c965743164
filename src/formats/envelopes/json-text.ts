/** JSON texts of hostile content: what cannot be read or written is undefined, and nothing is thrown. */

/** The value of the text `bytes[start, end)`. */
export function parsedJson(bytes: Buffer, start: number, end: number): unknown {
  return unlessImpossible(() => JSON.parse(bytes.toString('utf8', start, end)));
}

/** The value of a text, which may come out of another value. */
export function parsedText(text: string): unknown {
  return unlessImpossible(() => JSON.parse(text));
}

/** The JSON text of a value that was parsed. */
export function jsonBytes(value: unknown): Buffer | undefined {
  return unlessImpossible(() => Buffer.from(JSON.stringify(value)));
}

/** Damaged texts are syntax errors, those nested too deep or too long are range errors. */
function unlessImpossible<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
