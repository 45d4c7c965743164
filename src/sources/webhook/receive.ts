/** The way of one request: admitted by its headers, read, checked, stored, and only then answered. */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { createAdmission } from './admission.js';
import type { Announcer } from './announcer.js';
import { type Answer, refused, taken, unavailable } from './answer.js';
import { readBody } from './body.js';
import type { Budget, Hold } from './budget.js';
import { checkEventList, type Unreadable } from './event-list.js';
import type { WebhookBatch, WebhookLimits, WebhookOptions } from './options.js';
import { addressName, isName, type Named } from './sender.js';
import { SharedNames } from './shared-names.js';
import type { Tally } from './tally.js';

export interface ReceiveOptions extends Pick<WebhookOptions, 'token' | 'store' | 'deadLetter' | 'now'> {
  readonly certificates: boolean;
  readonly maxBodyBytes: number;
  readonly storeTimeoutMs: number;
  readonly budget: Budget;
  readonly tally: Tally;
  readonly announcer: Announcer;
  readonly limits: WebhookLimits;
  readonly isStopping: () => boolean;
}

/**
 * Gives the answer; undefined when nobody waits for one. `goOn` is called before the body is read, for senders that
 * wait to be told. Never rejects.
 */
export function createReceive(
  options: ReceiveOptions,
): (request: IncomingMessage, goOn: () => void) => Promise<Answer | undefined> {
  const { budget, tally, announcer, now } = options;
  const admit = createAdmission({ ...options, token: options.token });
  const names = new SharedNames((name) =>
    announcer.say(
      'shared',
      `audit webhook: several addresses show the client certificate of ${name}, so it names no server; give each ` +
        'apiserver a certificate of its own, or its name in the URL: /audit/v1/CLUSTER/SERVER',
    ),
  );

  return async (request, goOn) => {
    tally.requests++;
    const admitted = admit(request);
    if ('status' in admitted) return admitted;
    if (options.isStopping()) return unavailable('shutting down; try again soon');
    goOn();
    const hold = budget.open();
    const body = await readBody(request, { ...options, gzip: admitted.gzip, hold, maxBytes: options.maxBodyBytes });
    if (body === undefined || 'status' in body) {
      hold.release();
      if (body === undefined) tally.aborted++;
      return body;
    }
    const receivedMs = now();
    const server = serverOf(request, admitted, names, receivedMs);
    return settle({ body, server, cluster: admitted.cluster, receivedMs }, hold, options);
  };
}

function serverOf({ socket }: IncomingMessage, named: Named, names: SharedNames, nowMs: number): string {
  if (named.server !== '') return named.server;
  const address = addressName(socket.remoteAddress);
  const certificate = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate() : undefined;
  // A subject that says CN twice gives a list.
  const name: unknown = certificate?.subject?.CN;
  return typeof name === 'string' && isName(name) && names.isOwn(name, address, nowMs) ? name : address;
}

/** Hands a body on, and gives its memory back when that has ended, however late. */
async function settle(
  read: Omit<WebhookBatch, 'events'>,
  hold: Hold,
  options: ReceiveOptions,
): Promise<Answer | undefined> {
  const { tally } = options;
  const list = checkEventList(read.body);
  if ('events' in list) {
    if (list.events === 0) {
      hold.release();
      return taken;
    }
    const batch = { ...read, events: list.events };
    return keep(options.store, batch, hold, options, () => tally.stored(read.body.length, list.events));
  }
  return refuse(list, read, hold, options);
}

/**
 * What cannot be read will be no better for being sent again, which is what an apiserver does with any refusal, five
 * times over 81 s, before it drops it. So events among it are set aside and acknowledged. What holds none was sent by
 * mistake, and whoever sent it should see that.
 */
async function refuse(
  { reason, auditIDs }: Unreadable,
  read: Omit<WebhookBatch, 'events'>,
  hold: Hold,
  options: ReceiveOptions,
): Promise<Answer | undefined> {
  const { deadLetter, tally, announcer } = options;
  const aside = deadLetter !== undefined && auditIDs > 0;
  announcer.say(
    'unreadable',
    `audit webhook: a body of ${read.body.length} bytes from ${read.server} is ${reason}; ` +
      `${aside ? 'set aside' : 'refused'}, with about ${auditIDs} audit events in it`,
  );
  if (aside) {
    const batch = { ...read, events: auditIDs };
    return keep(
      (dead) => deadLetter(dead, reason),
      batch,
      hold,
      options,
      () => tally.deadLetters++,
    );
  }
  hold.release();
  return refused(400, `the body is ${reason}`);
}

async function keep(
  store: (batch: WebhookBatch) => Promise<void>,
  batch: WebhookBatch,
  hold: Hold,
  { storeTimeoutMs, tally, announcer }: ReceiveOptions,
  onKept: () => void,
): Promise<Answer> {
  let late = false;
  // In a function of its own so that what it throws at once is a rejection too.
  const work = (async () => store(batch))().then(
    () => {
      onKept();
      return taken;
    },
    (error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      announcer.say('store', `audit webhook: ${batch.events} events of ${batch.server} were not stored: ${why}`);
      return unavailable('the events could not be stored; try again soon');
    },
  );
  const settled = work.finally(() => {
    hold.release();
    if (late) tally.overdue--;
  });
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Answer>((resolve) => {
    timer = setTimeout(() => {
      late = true;
      tally.overdue++;
      announcer.say(
        'late',
        `audit webhook: ${batch.events} events of ${batch.server} are not stored after ${storeTimeoutMs} ms; its sender will try again`,
      );
      resolve(unavailable('storing takes too long; try again soon'));
    }, storeTimeoutMs).unref();
  });
  const answer = await Promise.race([settled, timeout]);
  clearTimeout(timer);
  return answer;
}
