/** Paths of the configuration file are relative to it. */
import { isAbsolute, join } from 'node:path';

export function inFolder(path: string, folder: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
