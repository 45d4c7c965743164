/** A forward proxy on loopback: CONNECT for tunnels, absolute URLs for the rest. */
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface Proxied {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
}

/** Every name leads to loopback. `refuse`: the status of all answers. */
export async function startProxy(refuse?: number) {
  const seen: Proxied[] = [];
  const sockets = new Set<Socket>();
  const note = ({ method = '', url = '', headers }: IncomingMessage) =>
    seen.push({ method, url, authorization: headers['proxy-authorization'] });
  const server = createServer((incoming, response) => {
    note(incoming);
    if (refuse !== undefined) {
      response.writeHead(refuse).end();
      return;
    }
    const { port, pathname, search } = new URL(incoming.url ?? '');
    const { method, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  server.on('connect', (incoming, socket, head) => {
    note(incoming);
    if (refuse !== undefined) {
      socket.end(`HTTP/1.1 ${refuse} No\r\n\r\n`);
      return;
    }
    const onward = connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    sockets.add(onward);
  });
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    seen,
    url: new URL(`http://me:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}`),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
