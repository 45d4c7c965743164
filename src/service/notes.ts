/** What an operator should know, the latest of it, for the page. */

const MAX_NOTES = 100;
const MAX_TEXT = 500;

export interface Note {
  readonly atMs: number;
  readonly message: string;
}

export class Notes {
  readonly #notes: Note[] = [];

  add(atMs: number, message: string): void {
    if (this.#notes.at(-1)?.message === message) this.#notes.pop();
    this.#notes.push({ atMs, message: message.slice(0, MAX_TEXT) });
    if (this.#notes.length > MAX_NOTES) this.#notes.shift();
  }

  get list(): readonly Note[] {
    return this.#notes;
  }
}
