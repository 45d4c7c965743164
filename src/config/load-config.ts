/** Reads the configuration file that the user names; there is no file that is read unasked. */
import { readFile } from 'node:fs/promises';
import { errorCode, explainSystemError } from '../sources/source.js';
import type { Config } from './config.js';
import { ConfigError, parseConfig } from './parse-config.js';

/** Throws ConfigError when the file cannot be read or has mistakes. */
export async function loadConfig(path: string): Promise<Config> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === '') throw error;
    throw new ConfigError(explainSystemError(path, error), { cause: error });
  }
  return parseConfig(text, path);
}
