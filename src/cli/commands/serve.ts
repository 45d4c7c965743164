/** `skewscope serve`: the Kafka consumer service. */
import { Command } from 'commander';
import type { Config } from '../../config/index.js';
import type { RuleSet } from '../../rules/index.js';
import type { Service } from '../../service/index.js';
import { readConfig, readRules } from '../analysis-options.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { Failure, usageFailure } from '../failure.js';
import { StreamOutput } from '../output.js';
import { packageVersion } from '../package-version.js';
import type { Terminal } from '../terminal.js';

export function serveCommand(context: Context): Command {
  const { terminal } = context;
  return new Command('serve')
    .summary('run for months beside a cluster: read from Kafka, keep alerts and spans flowing')
    .description(
      'Consumes audit events and process logs from Kafka, correlates them continuously, and tells findings and spans to ' +
        'the outputs of the configuration. Logs as JSON on stderr.',
    )
    .requiredOption('--config <file>', 'configuration file (YAML); `config check` tells whether it is right')
    .addHelpText('after', () => notes(terminal.name))
    .action(async (flags: { readonly config: string }) => {
      context.exitCode = await serve(flags, terminal);
    });
}

async function serve(flags: { readonly config: string }, terminal: Terminal): Promise<ExitCode> {
  const { config, rules } = await read(flags);
  if (config.kafka === undefined) {
    throw usageFailure(`${flags.config}: the section kafka is missing; give at least kafka.brokers and kafka.topics`);
  }
  const [{ createLog, openService }, { createKafka }, { systemClock }] = await Promise.all([
    import('../../service/index.js'),
    import('../../kafka/kafkajs/index.js'),
    import('../../outputs/index.js'),
  ]);
  const log = createLog({ level: config.service.logLevel, stream: terminal.stderr, now: terminal.now });
  const stdout = new StreamOutput(terminal.stdout);
  const service = await withUsageErrors(() =>
    openService({
      config,
      rules,
      env: terminal.env,
      version: packageVersion(),
      clock: systemClock,
      log,
      writeStdout: (text) => stdout.write(text),
      createKafka: (settings, onMessage) => createKafka(settings, { onMessage }),
    }),
  );
  log.say('info', 'the service consumes');
  const endReloads = terminal.onHangUp(() => reload(service, flags));
  try {
    const failure = await Promise.race([service.failed, aborted(terminal.interrupted)]);
    await service.stop(config.service.drainMs);
    if (failure === undefined) {
      log.say('info', 'the service has ended');
      return EXIT.clean;
    }
    return EXIT.input;
  } finally {
    endReloads();
  }
}

async function read(flags: { readonly config: string }): Promise<{ config: Config; rules: RuleSet }> {
  const config = await readConfig(flags);
  return { config, rules: await readRules(config, {}) };
}

async function reload(service: Service, flags: { readonly config: string }): Promise<void> {
  try {
    const { config, rules } = await read(flags);
    await service.reload(config, rules);
  } catch (error) {
    service.reloadFailed(error instanceof Error ? error.message : String(error));
  }
}

/** Mistakes of the configuration that show only when everything is opened. */
async function withUsageErrors<T>(work: () => Promise<T>): Promise<T> {
  const [{ ConfigError }, { OutputError }, { KafkaFailure }] = await Promise.all([
    import('../../config/index.js'),
    import('../../outputs/index.js'),
    import('../../kafka/port.js'),
  ]);
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError || error instanceof OutputError) throw usageFailure(error.message, error);
    if (error instanceof KafkaFailure) throw new Failure(error.message, EXIT.input, { cause: error });
    throw error;
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

function notes(name: string): string {
  return `
Signals: SIGTERM or Ctrl-C drains and commits within service.drain, a second one ends at once; SIGHUP reads rules and
outputs anew, and keeps the old ones when there is a mistake.

Examples:
  ${name} config check skewscope.yaml
  ${name} serve --config skewscope.yaml

Exit codes: ${EXIT.clean} ended as asked, ${EXIT.usage} wrong configuration, ${EXIT.input} Kafka cannot be reached or ended for good`;
}
