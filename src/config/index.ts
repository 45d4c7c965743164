/** The optional configuration file. */
export { type Config, FAIL_ON, type FailOn, NO_CONFIG, type OutputsConfig, type ServerGlob } from './config.js';
export { loadConfig } from './load-config.js';
export { ConfigError, parseConfig } from './parse-config.js';
export { placeRuleErrors } from './rule-mistakes.js';
