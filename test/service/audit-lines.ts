/** The lines of a recorded run's audit logs, as a topic would get them: of all servers, by time. */
import { inputsOfRun } from '../analysis/samples.js';
import type { MemoryMessage } from './memory-reader.js';

export interface AuditLine {
  readonly text: string;
  /** Number of the server, from 0. */
  readonly server: number;
}

export function linesOf(run: string): AuditLine[] {
  const logs = inputsOfRun(run).filter(({ name }) => name.endsWith('audit.log'));
  const lines = logs.flatMap(({ content }, server) => {
    // Shippers send a log in its own order, even where its times go back a little.
    let time = '';
    return content.split('\n').flatMap((text) => {
      if (text === '') return [];
      const own = /"stageTimestamp":"([^"]+)"/.exec(text)?.[1] ?? '';
      if (own > time) time = own;
      return [{ text, server, time }];
    });
  });
  return lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

/** The line as a shipper sends it that names its server, and perhaps its cluster. */
export function messageOf({ text, server }: AuditLine, cluster = ''): MemoryMessage {
  return { value: Buffer.from(text), sender: { server: `cp${server + 1}`, cluster } };
}
