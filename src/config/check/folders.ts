/** Whether the folders that are written to can be. Nothing is made. */
import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../sources/source.js';
import type { Config } from '../config.js';
import type { Path } from '../explain.js';
import { inFolder } from '../in-folder.js';
import type { Remark } from './remark.js';

/** `mayWrite` rejects as fs.access does. */
export async function folderMistakes(
  { outputs, folder }: Config,
  mayWrite: (folder: string) => Promise<void> = (path) => access(path, constants.W_OK | constants.X_OK),
): Promise<Remark[]> {
  const { spool, ndjson = [], otlp } = outputs ?? {};
  const written: [Path, string][] = [];
  if (spool !== undefined) written.push([['outputs', 'spool', 'dir'], inFolder(spool.dir, folder)]);
  ndjson.forEach(({ path }, at) => {
    if (path !== '-') written.push([['outputs', 'ndjson', at, 'path'], dirname(inFolder(path, folder))]);
  });
  if (otlp?.file !== undefined) written.push([['outputs', 'otlp', 'file'], dirname(inFolder(otlp.file, folder))]);
  const found = await Promise.all(
    written.map(async ([path, target]): Promise<Remark[]> => {
      const message = await mistakeOf(target, path.at(-1) === 'dir', mayWrite);
      return message === '' ? [] : [{ level: 'mistake', path, message }];
    }),
  );
  return found.flat();
}

/** `made`: the service makes the folder where it is missing. */
async function mistakeOf(folder: string, made: boolean, mayWrite: (folder: string) => Promise<void>): Promise<string> {
  try {
    if (!(await stat(folder)).isDirectory()) return `needs a folder where the file ${folder} is`;
    await mayWrite(folder);
    return (await isOfTheKernel(folder)) ? `lies in ${folder}, where nothing can be made` : '';
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' && made && dirname(folder) !== folder) return mistakeOf(dirname(folder), made, mayWrite);
    if (code === 'ENOENT') return `needs the folder ${folder}, which is not there; make it`;
    if (code === 'ENOTDIR') return `needs the folder ${folder}, and a part of that path is a file`;
    if (code === '') throw error;
    return `needs the folder ${folder}, which this user may not write (${code})`;
  }
}

/** The kernel's own view of itself: access says that root may write there, and nothing can be made. */
async function isOfTheKernel(folder: string): Promise<boolean> {
  const { type } = await statfs(folder);
  return type === PROC || type === SYS;
}

/** Types of file systems as Linux numbers them. */
const PROC = 0x9fa0;
const SYS = 0x62656572;
