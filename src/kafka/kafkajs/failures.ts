/** What kafkajs's errors mean: whether trying again may help, and what to say. */
import { errorText } from '../../model/error-text.js';
import { explainNetworkError } from '../../outputs/delivery/network-errors.js';
import { KafkaFailure } from '../port.js';

/** Types that are about the very message that was sent. */
const REFUSALS = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'CORRUPT_MESSAGE'];

/** Types of the protocol and names of kafkajs that no trying again mends. */
const HOPELESS = new Set([
  'KafkaJSSASLAuthenticationError',
  'KafkaJSNotImplemented',
  'KafkaJSServerDoesNotSupportApiKey',
  'SASL_AUTHENTICATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'TRANSACTIONAL_ID_AUTHORIZATION_FAILED',
  'INVALID_GROUP_ID',
  'INVALID_SESSION_TIMEOUT',
  'INCONSISTENT_GROUP_PROTOCOL',
  ...REFUSALS,
  'INVALID_TOPIC_EXCEPTION',
  'PRODUCER_FENCED',
  'INVALID_PRODUCER_EPOCH',
]);

const HINTS: Readonly<Record<string, string>> = {
  INCONSISTENT_GROUP_PROTOCOL: 'other programs use this group id; choose another',
  INVALID_SESSION_TIMEOUT:
    'set kafka.session to what the brokers allow (their group.min.session.timeout.ms and group.max.session.timeout.ms)',
  TOPIC_AUTHORIZATION_FAILED: 'allow this user to read and describe the topic',
  GROUP_AUTHORIZATION_FAILED: 'allow this user to read the group',
  SASL_AUTHENTICATION_FAILED: 'check the mechanism, the user and the password or token',
  KafkaJSSASLAuthenticationError: 'check the mechanism, the user and the password or token',
  MESSAGE_TOO_LARGE: 'raise max.message.bytes of the topic',
  PRODUCER_FENCED: 'another producer with this transactional id has taken over',
  INVALID_PRODUCER_EPOCH: 'another producer with this transactional id has taken over',
};

/** Codes of the network that mean a mistake in the settings, when they are met at the start. */
const MISTAKES =
  /ENOTFOUND|SELF_SIGNED|self.signed|CERT|certificate|UNABLE_TO_|unable to (?:verify|get)|alert (?:handshake|bad|unknown)|wrong version number/i;

/** Any error of kafkajs, as the port has them. */
export function kafkaFailure(error: unknown, doing: string): KafkaFailure {
  if (error instanceof KafkaFailure) return error;
  return new KafkaFailure(`${doing}: ${explain(error)}`, !isHopeless(error), { cause: error });
}

/** Its words, with what to do where that is known. */
export function explain(error: unknown): string {
  const names = causes(error).flatMap(({ name, type }) => [type, name]);
  const hint = names.map((name) => HINTS[name]).find((words) => words !== undefined);
  const root = causes(error).at(-1);
  const words = errorText(error);
  const network = root === undefined || root.code === '' ? '' : explainNetworkError(root.error);
  return [words, ...(hint === undefined ? [] : [hint]), ...(network === '' || network === words ? [] : [network])].join(
    '; ',
  );
}

/** No trying again helps. */
export function isHopeless(error: unknown): boolean {
  return causes(error).some(({ name, type }) => HOPELESS.has(name) || HOPELESS.has(type));
}

/** The same at the start of a program, when a wrong name or certificate is more likely than one that will change. */
export function isHopelessAtStart(error: unknown): boolean {
  return isHopeless(error) || causes(error).some(({ error: { message }, code }) => MISTAKES.test(`${code} ${message}`));
}

/** The brokers will never take this message; another may be taken. */
export function refusesMessage(error: unknown): boolean {
  return causes(error).some(({ type }) => REFUSALS.includes(type));
}

export function isFenced(error: unknown): boolean {
  return causes(error).some(({ type }) => type === 'PRODUCER_FENCED' || type === 'INVALID_PRODUCER_EPOCH');
}

/** The transaction before is not quite over. */
export function isBusy(error: unknown): boolean {
  return causes(error).some(({ type }) => type === 'CONCURRENT_TRANSACTIONS');
}

interface Cause {
  readonly error: Error;
  readonly name: string;
  readonly type: string;
  readonly code: string;
}

/** kafkajs wraps errors in others: as `cause`, or as `originalError`. */
function causes(error: unknown): Cause[] {
  const list: Cause[] = [];
  for (let at = error; at instanceof Error && list.length < 10; ) {
    const {
      name,
      type = '',
      code = '',
      originalError,
      cause,
    } = at as Error & Record<'type' | 'code' | 'originalError', unknown>;
    list.push({ error: at, name, type: String(type), code: typeof code === 'string' ? code : '' });
    at = cause === at ? undefined : (cause ?? originalError);
  }
  return list;
}
