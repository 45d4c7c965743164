/** Hands a body on when it is whole, and makes an answer of what comes of it. */
import { errorText } from '../../model/error-text.js';
import type { Announcer } from './announcer.js';
import { type Answer, refused, taken, unavailable } from './answer.js';
import type { Hold } from './budget.js';
import { checkEventList, type Unreadable } from './event-list.js';
import type { WebhookBatch, WebhookOptions } from './options.js';
import type { Tally } from './tally.js';

export interface SettleOptions extends Pick<WebhookOptions, 'store' | 'deadLetter'> {
  readonly storeTimeoutMs: number;
  readonly tally: Tally;
  readonly announcer: Announcer;
}

/** Hands a body on, and gives its memory back when that has ended, however late. */
export async function settle(
  read: Omit<WebhookBatch, 'events'>,
  hold: Hold,
  options: SettleOptions,
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
  options: SettleOptions,
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
  { storeTimeoutMs, tally, announcer }: SettleOptions,
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
      const why = errorText(error);
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
