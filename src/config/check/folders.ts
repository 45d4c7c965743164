/** Whether the folders that are written to can be. Nothing is made. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../../sources/source.js';
import type { Config } from '../config.js';
import type { Path } from '../explain.js';
import { inFolder } from '../in-folder.js';
import type { Remark } from './remark.js';

export async function folderMistakes({ outputs, folder }: Config): Promise<Remark[]> {
  const { spool, ndjson = [], otlp } = outputs ?? {};
  const written: [Path, string][] = [];
  if (spool !== undefined) written.push([['outputs', 'spool', 'dir'], inFolder(spool.dir, folder)]);
  ndjson.forEach(({ path }, at) => {
    if (path !== '-') written.push([['outputs', 'ndjson', at, 'path'], dirname(inFolder(path, folder))]);
  });
  if (otlp?.file !== undefined) written.push([['outputs', 'otlp', 'file'], dirname(inFolder(otlp.file, folder))]);
  const found = await Promise.all(
    written.map(async ([path, target]): Promise<Remark[]> => {
      const message = await mistakeOf(target, path.at(-1) === 'dir');
      return message === '' ? [] : [{ level: 'mistake', path, message }];
    }),
  );
  return found.flat();
}

/** `made`: the service makes the folder where it is missing. */
async function mistakeOf(folder: string, made: boolean): Promise<string> {
  try {
    if (!(await stat(folder)).isDirectory()) return `needs a folder where the file ${folder} is`;
    await access(folder, constants.W_OK | constants.X_OK);
    return '';
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' && made && dirname(folder) !== folder) return mistakeOf(dirname(folder), made);
    if (code === 'ENOENT') return `needs the folder ${folder}, which is not there; make it`;
    if (code === '') throw error;
    return `needs the folder ${folder}, which ${process.getuid?.() === undefined ? 'this user' : `user ${process.getuid()}`} may not write`;
  }
}
