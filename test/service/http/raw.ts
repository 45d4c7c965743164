/** Speaks to a server byte by byte, as no client library would. */
import { connect, type Socket } from 'node:net';

const DEADLINE_MS = 10_000;

/** Opens a connection to the server behind the URL. Errors are kept quiet: the server may close it at any time. */
export function dial(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once('error', reject);
    socket.on('error', () => {});
  });
}

/** Sends the text on a connection of its own and gives all that comes back until the server closes it. */
export async function exchange(url: string, text: string): Promise<string> {
  const socket = await dial(url);
  socket.write(text);
  return readAll(socket);
}

/** What comes until the end. Rejects when the server does not end it within the deadline. */
export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the server keeps the connection; so far it said: ${text}`));
    }, DEADLINE_MS);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => {
      clearTimeout(late);
      resolve(text);
    });
  });
}

/** Head and body of one answer. */
export function parseAnswer(text: string) {
  const [head = '', ...body] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: body.join('\r\n\r\n') };
}
