/** One address of the service, asked for what has changed since. */

const TIMEOUT_MS = 10_000;

/** The service wants a token, or another one. */
export class AccessError extends Error {}

/** @template T */
export class Source {
  /** @type {string | null} */
  #etag = null;
  /** @type {T | null} */
  #value = null;

  /** @param {string} path */
  constructor(path) {
    this.path = path;
  }

  /**
   * What is there now, and when by the server's clock. Throws AccessError, or Error with what went wrong.
   * @param {string} token '' for none
   * @returns {Promise<{ value: T, changed: boolean, at: number }>}
   */
  async read(token) {
    /** @type {Record<string, string>} */
    const headers = { accept: 'application/json' };
    if (token !== '') headers.authorization = `Bearer ${token}`;
    if (this.#etag !== null) headers['if-none-match'] = this.#etag;
    const response = await this.#fetch(headers);
    const at = Date.parse(response.headers.get('date') ?? '') || Date.now();
    if (response.status === 304 && this.#value !== null) return { value: this.#value, changed: false, at };
    if (response.status === 401) throw new AccessError('the token is not the right one');
    if (!response.ok) throw new Error(`the service answered ${response.status}`);
    const value = /** @type {T} */ (await response.json());
    this.#etag = response.headers.get('etag');
    this.#value = value;
    return { value, changed: true, at };
  }

  /** @param {Record<string, string>} headers */
  async #fetch(headers) {
    try {
      return await fetch(this.path, {
        headers,
        cache: 'no-store',
        credentials: 'omit',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    } catch (error) {
      const late = error instanceof DOMException && error.name === 'TimeoutError';
      throw new Error(late ? 'the service does not answer' : 'the service cannot be reached', { cause: error });
    }
  }
}
