/** What the Kafka of the tests is told: one node that is broker and controller, small and quick to start. */
import { join } from 'node:path';

export const USER = 'alice';
export const PASSWORD = 'alice-secret';

/** Console output that tells when the server is up, and what went wrong. */
export const LOGGING = `
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = %p %m%n
rootLogger.level = INFO
rootLogger.appenderRef.out.ref = out
`;

/** Settings and arguments for the format tool. `secure`: SASL and TLS listeners on two more ports. */
export function serverSettings(
  folder: string,
  [plain, controller, sasl, tls]: readonly number[],
  secure: boolean,
  more: Readonly<Record<string, string>>,
): string {
  const listeners = [`PLAINTEXT://127.0.0.1:${plain}`, `CONTROLLER://127.0.0.1:${controller}`];
  if (secure) listeners.push(`SASL_PLAINTEXT://127.0.0.1:${sasl}`, `SSL://127.0.0.1:${tls}`);
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL',
    listeners: listeners.join(','),
    'log.dirs': join(folder, 'data'),
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '1',
    'group.initial.rebalance.delay.ms': '0',
    // A server that was killed is let in again only when its old session has ended.
    'broker.session.timeout.ms': '2000',
    'broker.heartbeat.interval.ms': '500',
    'auto.create.topics.enable': 'false',
    'message.max.bytes': String(64 * 2 ** 20),
    'socket.request.max.bytes': String(100 * 2 ** 20),
    'log.cleaner.enable': 'false',
    'log.retention.check.interval.ms': '500',
    'log.initial.task.delay.ms': '500',
    ...(secure ? secureSettings(folder) : {}),
    ...more,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

function secureSettings(folder: string): Record<string, string> {
  const module = (kind: string, rest: string) => `org.apache.kafka.common.security.${kind} required ${rest};`;
  const jaas = (mechanism: string) => `listener.name.sasl_plaintext.${mechanism}.sasl.jaas.config`;
  return {
    'listener.name.sasl_plaintext.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    [jaas('plain')]: module('plain.PlainLoginModule', `user_${USER}="${PASSWORD}"`),
    [jaas('scram-sha-256')]: module('scram.ScramLoginModule', ''),
    [jaas('scram-sha-512')]: module('scram.ScramLoginModule', ''),
    [jaas('oauthbearer')]: module('oauthbearer.OAuthBearerLoginModule', 'unsecuredLoginStringClaim_sub="broker"'),
    'listener.name.ssl.ssl.keystore.type': 'PEM',
    'listener.name.ssl.ssl.keystore.location': join(folder, 'server-both.pem'),
    'listener.name.ssl.ssl.truststore.type': 'PEM',
    'listener.name.ssl.ssl.truststore.location': join(folder, 'ca.pem'),
    'listener.name.ssl.ssl.client.auth': 'required',
  };
}
