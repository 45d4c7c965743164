/** Who takes part in the benchmark, how each is started, and why it cannot start here, if so. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} does one line for the table
 * @property {(files: readonly string[]) => {command: string, args: string[]}} start
 * @property {boolean} node runs under node, so that its peak memory can be read
 * @property {readonly number[]} good exit codes of a run that did its work
 * @property {(stdout: string) => number | null} events how many events it says it read; null when it does not say
 * @property {() => string | null} unavailable the reason it cannot run here, or null
 */

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const CLI = here('../../dist/cli/main.js');
const DECODERS = here('../../dist/formats/audit/index.js');

/** The first one is what the ratios refer to. @type {readonly Contender[]} */
export const CONTENDERS = [
  {
    name: 'skewscope',
    does: 'the whole `skewscope analyze FILES --format json`',
    node: true,
    start: (files) => ({
      command: process.execPath,
      args: [CLI, 'analyze', ...files, '--format', 'json'],
    }),
    // 1 says that there are findings.
    good: [0, 1],
    events: recordsOfResult,
    unavailable: () => unbuilt(CLI),
  },
  decoder('fast'),
  decoder('reference'),
  nodeScript('ndjson', 'createReadStream, ndjson.parse(), count', './ndjson.js', 'ndjson'),
  nodeScript('JSON.parse', 'JSON.parse on each line, count', './json-parse.js'),
  {
    name: 'jq',
    does: "jq -c 'select(.responseStatus.code==404)'",
    node: false,
    start: (files) => ({ command: 'jq', args: ['-c', 'select(.responseStatus.code==404)', ...files] }),
    good: [0],
    events: () => null,
    unavailable: () =>
      spawnSync('jq', ['--version']).status === 0
        ? null
        : 'jq is not installed; `apt-get install jq` or `brew install jq`',
  },
  nodeScript('duckdb', 'count 404 by server, two columns, all cores', './duckdb.js', '@duckdb/node-api'),
];

/**
 * @param {string} name @param {string} does @param {string} script @param {string} [needs] a package
 * @returns {Contender}
 */
function nodeScript(name, does, script, needs) {
  return {
    name,
    does,
    node: true,
    start: (files) => ({ command: process.execPath, args: [here(script), ...files] }),
    good: [0],
    events: (stdout) => Number(stdout),
    unavailable: () => (needs === undefined ? null : missing(needs)),
  };
}

/** @param {'fast' | 'reference'} which @returns {Contender} */
function decoder(which) {
  return {
    ...nodeScript(`${which} decoder`, 'reading and decoding alone, as skewscope does it', './decode.js'),
    start: (files) => ({ command: process.execPath, args: [here('./decode.js'), which, ...files] }),
    unavailable: () => unbuilt(DECODERS),
  };
}

/** @param {string} path */
function unbuilt(path) {
  return existsSync(path) ? null : `${relative(process.cwd(), path)} is missing; run \`npm run build\``;
}

/** @param {string} name */
function missing(name) {
  try {
    import.meta.resolve(name);
    return null;
  } catch (error) {
    return `${name} is not installed (${error instanceof Error ? error.message : error})`;
  }
}

/** @param {string} stdout */
function recordsOfResult(stdout) {
  /** @type {{inputs: {records: number}[]}} */
  const result = JSON.parse(stdout);
  return result.inputs.reduce((sum, input) => sum + input.records, 0);
}
