/** The service as `skewscope serve` runs it, but with windows and sessions of seconds, which its configuration does not allow. */
import { pathToFileURL } from 'node:url';

const [dist, file] = process.argv.slice(2);
const { WINDOW_MS, SESSION_MS = '2000', TOPICS_MS = '500' } = process.env;
const load = (path) => import(pathToFileURL(`${dist}/${path}`).href);
const [{ readConfig, readRules }, { createLog, openService }, { createThreadedKafka }, { systemClock }] =
  await Promise.all(
    ['cli/analysis-options.js', 'service/index.js', 'kafka/threaded/index.js', 'outputs/index.js'].map(load),
  );

const interrupted = new AbortController();
process.once('SIGTERM', () => interrupted.abort());
const config = await readConfig({ config: file });
const service = WINDOW_MS === undefined ? config.service : { ...config.service, windowMs: Number(WINDOW_MS) };
const log = createLog({ level: 'info', stream: process.stderr, now: Date.now });
const times = { sessionMs: Number(SESSION_MS), topicsMs: Number(TOPICS_MS), endCheckMs: 200 };
const running = await openService({
  config: { ...config, service },
  rules: await readRules(config, {}),
  env: process.env,
  version: 'test',
  clock: systemClock,
  log,
  writeStdout: async (text) => void process.stdout.write(text),
  signal: interrupted.signal,
  createKafka: (settings, onMessage) => createThreadedKafka(settings, { ...times, onMessage }),
});
log.say('info', 'the service consumes');
const failure = await Promise.race([
  running.failed,
  new Promise((resolve) => interrupted.signal.addEventListener('abort', () => resolve())),
]);
await running.stop(config.service.drainMs);
process.exit(failure === undefined ? 0 : 3);
