/** What cannot be opened as the configuration says is no mistake of this program. */
import { ConfigError } from '../config/index.js';

/** Rejects with ConfigError, in the words of what went wrong: an address that is taken, a token that is too short. */
export async function asConfigured<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof ConfigError || !(error instanceof Error)) throw error;
    throw new ConfigError(error.message, { cause: error });
  }
}
