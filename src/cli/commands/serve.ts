/** `skewscope serve`: the Kafka consumer service. */
import { Command } from 'commander';
import type { Config } from '../../config/index.js';
import { KafkaFailure } from '../../kafka/port.js';
import { errorText } from '../../model/error-text.js';
import { systemClock } from '../../outputs/delivery/clock.js';
import type { RuleSet } from '../../rules/index.js';
import type { Service } from '../../service/index.js';
import { readConfig, readRules } from '../analysis-options.js';
import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { Failure, usageFailure } from '../failure.js';
import { StreamOutput } from '../output.js';
import { packageVersion } from '../package-version.js';
import type { Terminal } from '../terminal.js';

/** Beyond `drain`, for what ends last: the farewell to Kafka, and the page. */
const GRACE_MS = 3_000;

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
  const [{ createLog, openService }, { createThreadedKafka }] = await Promise.all([
    import('../../service/index.js'),
    import('../../kafka/threaded/index.js'),
  ]);
  const log = createLog({ level: config.service.logLevel, stream: terminal.stderr, now: terminal.now });
  const stdout = new StreamOutput(terminal.stdout);
  const { interrupted } = terminal;
  log.say('info', `skewscope ${packageVersion()} reads ${summary(config.kafka)}`);
  const reloads = new Reloads(flags);
  const endReloads = terminal.onHangUp(() => reloads.ask());
  const { drainMs } = config.service;
  const overdue = () => {
    log.say('warn', 'what is left does not end in time, and is not waited for');
    terminal.endNow?.();
    return EXIT.clean;
  };
  try {
    const opening = withUsageErrors(() =>
      openService({
        config,
        rules,
        env: terminal.env,
        version: packageVersion(),
        clock: systemClock,
        log,
        writeStdout: (text) => stdout.write(text),
        signal: interrupted,
        createKafka: (settings, onMessage) => createThreadedKafka(settings, { onMessage }),
      }),
    );
    const service = await unlessOverdue(opening, interrupted, drainMs);
    if (service === undefined) return overdue();
    log.say('info', 'the service consumes');
    reloads.begin(service);
    const failure = await Promise.race([service.failed, aborted(interrupted)]);
    const stopping = service.stop(drainMs).then(() => true);
    if ((await unlessOverdue(stopping, AbortSignal.abort(), drainMs + GRACE_MS)) === undefined) overdue();
    else log.say('info', 'the service has ended');
    return failure === undefined ? EXIT.clean : failure instanceof KafkaFailure ? EXIT.input : EXIT.internal;
  } catch (error) {
    if (!interrupted.aborted || error !== interrupted.reason) throw error;
    log.say('info', 'the service has ended before it joined the group');
    return EXIT.clean;
  } finally {
    endReloads();
  }
}

async function read(flags: { readonly config: string }): Promise<{ config: Config; rules: RuleSet }> {
  const config = await readConfig(flags);
  return { config, rules: await readRules(config, {}) };
}

/** Reloads one after the other; what is asked for while the service is being opened comes when it is. */
class Reloads {
  #service: Service | undefined;
  #asked = false;
  #running = false;

  constructor(private readonly flags: { readonly config: string }) {}

  ask(): void {
    this.#asked = true;
    void this.#run();
  }

  begin(service: Service): void {
    this.#service = service;
    void this.#run();
  }

  async #run(): Promise<void> {
    const service = this.#service;
    if (service === undefined || this.#running) return;
    this.#running = true;
    while (this.#asked) {
      this.#asked = false;
      try {
        const { config, rules } = await read(this.flags);
        await service.reload(config, rules);
      } catch (error) {
        service.reloadFailed(errorText(error));
      }
    }
    this.#running = false;
  }
}

/** What is read, for the log. */
function summary({ topics, connection, group }: NonNullable<Config['kafka']>): string {
  return `${topics.join(', ')} of ${connection.brokers.join(', ')} as group ${group}`;
}

/** Mistakes of the configuration that show only when everything is opened. */
async function withUsageErrors<T>(work: () => Promise<T>): Promise<T> {
  const [{ ConfigError }, { OutputError }] = await Promise.all([
    import('../../config/index.js'),
    import('../../outputs/index.js'),
  ]);
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError || error instanceof OutputError) throw usageFailure(error.message, error);
    if (error instanceof KafkaFailure) throw new Failure(error.message, EXIT.input, { cause: error });
    throw error;
  }
}

/** Undefined when the work goes on for so many milliseconds after the signal. */
async function unlessOverdue<T>(work: Promise<T>, signal: AbortSignal, ms: number): Promise<T | undefined> {
  const done = new AbortController();
  const overdue = async () => {
    await aborted(signal);
    await systemClock.sleep(ms, done.signal);
    return undefined;
  };
  try {
    return await Promise.race([work, overdue()]);
  } finally {
    done.abort();
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

Exit codes: ${EXIT.clean} ended as asked, ${EXIT.usage} wrong configuration, ${EXIT.input} Kafka turns the
service down for good, ${EXIT.internal} a mistake in this program or in a rule. While Kafka is away it waits.`;
}
