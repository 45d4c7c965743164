/** The Kafka consumer service. */
export { createLog, type Level, type Log } from './log.js';
export { openService, type Service, type ServiceOptions } from './service.js';
