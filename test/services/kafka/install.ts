/** Kafka for the tests: fetched once by Maven into the folder for temporary files, outside the checkout. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const KAFKA_VERSION = '4.1.0';
const CACHE = join(tmpdir(), `skewscope-kafka-${KAFKA_VERSION}`);

/** A first run downloads 50 MB. */
export const INSTALL_TIMEOUT_MS = 5 * 60_000;

/**
 * Why no Kafka can be had here; undefined when it can. With SKEWSCOPE_REQUIRE_SERVICES=1 it always can: what is missing
 * then fails the tests instead of skipping them.
 */
export function whyNoKafka(): string | undefined {
  if (process.env.SKEWSCOPE_REQUIRE_SERVICES === '1') return undefined;
  if (!runs('java', '-version')) return 'Java is not installed, so no Kafka can be run';
  if (existsSync(CACHE) || runs('mvn', '-version')) return undefined;
  return 'Maven is not installed, so Kafka cannot be fetched';
}

/** The class path of Kafka and its tools. Throws with what Maven said when they cannot be fetched. */
export async function installKafka(): Promise<string> {
  if (!existsSync(CACHE)) await fetchKafka();
  return join(CACHE, 'jars', '*');
}

function runs(command: string, argument: string): boolean {
  return spawnSync(command, [argument], { stdio: 'ignore' }).status === 0;
}

async function fetchKafka(): Promise<void> {
  const unfinished = mkdtempSync(`${CACHE}-`);
  try {
    writeFileSync(join(unfinished, 'pom.xml'), POM);
    const args = ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=jars'];
    await promisify(execFile)('mvn', args, { cwd: unfinished, timeout: INSTALL_TIMEOUT_MS });
    renameSync(unfinished, CACHE);
  } catch (error) {
    // Another worker may have been faster.
    if (!existsSync(CACHE)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

const dependency = (group: string, artifact: string, version: string, rest = '') =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${rest}</dependency>`;

/** The console producer is in the tools; what they need for Kafka Connect is left out. */
const NO_CONNECT = `<exclusions>${['connect-api', 'connect-json', 'connect-runtime', 'connect-transforms']
  .map((name) => `<exclusion><groupId>org.apache.kafka</groupId><artifactId>${name}</artifactId></exclusion>`)
  .join('')}</exclusions>`;

const POM = `<project><modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>kafka</artifactId><version>1</version>
<dependencies>
${dependency('org.apache.kafka', 'kafka_2.13', KAFKA_VERSION)}
${dependency('org.apache.kafka', 'kafka-tools', KAFKA_VERSION, NO_CONNECT)}
${dependency('org.apache.logging.log4j', 'log4j-slf4j-impl', '2.24.3')}
</dependencies></project>
`;
