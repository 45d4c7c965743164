/**
 * Looks from time to time how many members the group has, and for more senders than can be told apart. The halves of a request lie in different partitions: members
 * that share them without the topic between the stages see only parts of what happened, and that must be said.
 */
import type { KafkaConsumer } from '../kafka/port.js';
import { errorText } from '../model/error-text.js';
import { SPLIT, type Status, TOO_MANY_SENDERS } from './status.js';

export interface MembersOptions {
  readonly consumer: Pick<KafkaConsumer, 'members'>;
  /** The configuration has kafka.scaleOut. */
  readonly sharesWork: boolean;
  readonly status: Pick<Status, 'members' | 'split' | 'unnamed'>;
  readonly onMessage: (text: string) => void;
  readonly everyMs?: number;
}

const EVERY_MS = 30_000;

/** Gives what ends it. */
export function watchMembers({
  consumer,
  sharesWork,
  status,
  onMessage,
  everyMs = EVERY_MS,
}: MembersOptions): () => void {
  let ended = false;
  let saidTooMany = false;
  const look = async () => {
    if (status.unnamed > 0 && !saidTooMany) {
      saidTooMany = true;
      onMessage(TOO_MANY_SENDERS);
    }
    try {
      const members = await consumer.members();
      if (ended) return;
      status.members = members;
      status.split = members > 1 && !sharesWork;
      if (status.split) onMessage(SPLIT);
    } catch (error) {
      if (!ended) onMessage(`the group's members are not known: ${errorText(error)}`);
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  void look();
  return () => {
    ended = true;
    clearInterval(timer);
  };
}
