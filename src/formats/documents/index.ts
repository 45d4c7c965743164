/** What apiservers say about themselves outside their logs: leases, discovery, metrics, flags. */
export { discoveryViewOf, readDiscovery } from './discovery.js';
export { readFlag } from './flag.js';
export { readLeases } from './lease.js';
export { type MetricLine, readMetricLine } from './metrics.js';
export { isObject, type JsonObject } from './shape.js';
