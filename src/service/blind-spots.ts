/**
 * Looks from time to time for what makes findings incomplete while all seems well. The halves of a request lie in different
 * partitions: members of the group that share them without the topic between the stages see only parts of what happened.
 * And where nothing names the senders, or there are more than can be told apart, what they wrote counts for no server.
 */
import type { KafkaConsumer } from '../kafka/port.js';
import type { Analysis } from '../model/analysis.js';
import { errorText } from '../model/error-text.js';
import { SPLIT, type Status } from './status.js';

export interface BlindSpotOptions {
  readonly consumer: Pick<KafkaConsumer, 'members'>;
  /** The configuration has kafka.scaleOut. */
  readonly sharesWork: boolean;
  readonly status: Pick<Status, 'members' | 'split' | 'unnamed' | 'analysis'>;
  readonly onMessage: (text: string) => void;
  readonly everyMs?: number;
}

const EVERY_MS = 30_000;

/** Said once, when it comes to that. */
const TOO_MANY_SENDERS =
  'there are too many senders to tell them apart: records of those that came last count for their partition and for no server (skewscope_kafka_unnamed_records_total counts them); check kafka.server and what the messages name, for names that change all the time';

/** Said once, when it comes to that. */
const NAMELESS =
  'of most records nothing tells which kube-apiserver wrote them, so nearly nothing can be found: let collectors name it in a header, the key or the topic of each message, and say in kafka.server which';

/** Gives what ends it. */
export function watchForBlindSpots({
  consumer,
  sharesWork,
  status,
  onMessage,
  everyMs = EVERY_MS,
}: BlindSpotOptions): () => void {
  let ended = false;
  let saidTooMany = false;
  let saidNameless = false;
  const look = async () => {
    if (status.unnamed > 0 && !saidTooMany) {
      saidTooMany = true;
      onMessage(TOO_MANY_SENDERS);
    }
    if (!saidNameless && isMostlyNameless(status.analysis())) {
      saidNameless = true;
      onMessage(NAMELESS);
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

/** Of records that are there; a partition that one server alone writes into is that server's, named or not. */
function isMostlyNameless(analysis: Analysis | undefined): boolean {
  const inputs = analysis?.inputs ?? [];
  const all = inputs.reduce((sum, { records }) => sum + records, 0);
  const nameless = inputs.reduce((sum, { server, records }) => (server === null ? sum + records : sum), 0);
  return all >= ENOUGH && nameless > all / 2;
}

/** The first records of a server may come before what tells whose they are. */
const ENOUGH = 500;
