/** The decoding thread's part: takes orders from a port, and answers with batches of records. */
import type { MessagePort } from 'node:worker_threads';
import { createFastDecoder } from '../../formats/index.js';
import { BatchWriter } from './batch-writer.js';
import { Channel, type Send } from './channel.js';
import type { Order } from './messages.js';

/** Serves the port until it is closed. A failure to decode is thrown, and ends the thread. */
export function serveDecoding(port: MessagePort): void {
  const audit = createFastDecoder();
  const writer = new BatchWriter();
  const channels = new Map<number, Channel>();
  const send: Send = (answer, memories = []) => port.postMessage(answer, memories);
  port.on('message', (order: Order) => {
    if (order.type === 'open') {
      const channel = new Channel(order, audit, writer, send);
      channels.set(order.channel, channel);
      void channel.run().then(() => {
        channels.delete(order.channel);
        send({ type: 'closed', channel: order.channel });
      });
    } else if (order.type === 'columns') writer.spare.push(order.columns);
    else channels.get(order.channel)?.take(order);
  });
}
