/** What would run with a configuration, in a few lines for people. */
import { formatDuration } from '../../model/time.js';
import type { RuleSet } from '../../rules/rule.js';
import type { Config } from '../config.js';
import type { ListenAddress } from '../listen-address.js';
import type { KafkaConfig, ListenConfig, StartFrom } from '../service-config.js';

/** Without secrets. */
export function summarize(config: Config, rules: RuleSet, outputs: readonly string[]): string[] {
  const { kafka, service, listen, cluster } = config;
  return [
    ...(cluster === undefined ? [] : [`cluster   ${cluster}`]),
    `rules     ${rulesText(rules)}`,
    `outputs   ${outputs.length === 0 ? 'none' : outputs.join(', ')}`,
    ...(kafka === undefined ? ['service   none: there is no section kafka'] : serviceLines(kafka, listen)),
    ...(kafka === undefined ? [] : clusterLines(config)),
    ...(kafka === undefined ? [] : [`window    ${formatDuration(service.windowMs * 1_000)} of event time`]),
    ...(kafka === undefined ? [] : unusedLines(config)),
  ];
}

function rulesText({ rules, disabled }: RuleSet): string {
  const own = rules.filter(({ shipped }) => !shipped).length;
  const more = [own === 0 ? '' : `${own} of your own`, disabled.length === 0 ? '' : `${disabled.length} switched off`];
  return [`${rules.length} in use`, ...more].filter((text) => text !== '').join(', ');
}

function serviceLines(kafka: KafkaConfig, listen: ListenConfig): string[] {
  const { connection, group, topics, from, deadLetters, scaleOut } = kafka;
  const { brokers, tls, sasl } = connection;
  const how = [tls === undefined ? 'no TLS' : 'TLS', sasl === undefined ? 'no SASL' : `SASL ${sasl.mechanism}`].join(
    ', ',
  );
  return [
    `kafka     ${brokers.join(', ')} (${how})`,
    `topics    ${topics.join(', ')}`,
    `group     ${group}, from ${fromText(from)} where no offset is stored`,
    `damage    ${deadLetters === undefined ? 'is only counted' : `goes to ${deadLetters}`}`,
    `replicas  ${scaleOut === undefined ? 'one' : `up to ${scaleOut.partitions}, through ${scaleOut.topic} (${scaleOut.compression})`}`,
    `admin     ${adminText(listen)}`,
    ...webhookLines(listen),
  ];
}

/** Replicas share the clusters, which are known by name. */
function clusterLines({ kafka, cluster }: Config): string[] {
  if (kafka?.scaleOut === undefined || cluster !== undefined) return [];
  return ['clusters  as records name them; those that name none are taken for one, and one replica judges it'];
}

/** Keys that say nothing to the service. */
function unusedLines({ failOn, servers, outputs }: Config): string[] {
  const given = {
    failOn: failOn !== undefined,
    servers: servers.length > 0,
    'outputs.metrics': outputs?.metrics !== undefined,
  };
  const unused = Object.entries(given).flatMap(([key, isGiven]) => (isGiven ? [key] : []));
  return unused.length === 0 ? [] : [`not used  ${unused.join(', ')} (for analyze and watch, not for serve)`];
}

function fromText(from: StartFrom): string {
  if (typeof from === 'string') return `the ${from} record`;
  return 'atMs' in from ? new Date(from.atMs).toISOString() : `${formatDuration(from.agoMs * 1_000)} before the start`;
}

function adminText({ admin, token, tls }: ListenConfig): string {
  if (admin === undefined) return 'off';
  return `${urlOf(admin, tls !== undefined)}, ${token === undefined ? 'without token' : 'with token'}`;
}

function webhookLines({ webhook }: ListenConfig): string[] {
  if (webhook === undefined) return [];
  const { address, tls, token, topic } = webhook;
  const asks = [tls?.clientCa === undefined ? '' : 'client certificate', token === undefined ? '' : 'token'];
  const asked = asks.filter((text) => text !== '').join(' and ');
  return [
    `webhook   ${urlOf(address, tls !== undefined)}, ${asked === '' ? 'for anyone' : `with ${asked}`}, to topic ${topic}`,
  ];
}

function urlOf({ host, port }: ListenAddress, isTls: boolean): string {
  return `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
