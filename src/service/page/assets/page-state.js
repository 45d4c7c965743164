/** What all parts of the page are drawn from. */

/** @typedef {import('../../http/status-json.js').StatusAnswer} Status */
/** @typedef {import('../../http/requests-json.js').RequestAnswer} ProxiedRequest */
/** @typedef {import('../../../report/result-schema.js').AnalysisResult} Analysis */
/** @typedef {import('../../../report/result-schema.js').ResultFinding} Finding */

/**
 * @typedef {object} PageState
 * @property {Status} status
 * @property {Analysis | null} analysis null: nothing was judged yet
 * @property {readonly ProxiedRequest[]} requests newest first
 * @property {string | null} cluster the one that is looked at; null: all
 * @property {number} now of the server, in milliseconds since the epoch
 */

/**
 * Names of the clusters that are shown one beside the other; empty when there is nothing to tell apart.
 * @param {PageState} state
 * @returns {string[]}
 */
export function shownClusters({ analysis, cluster }) {
  const names = (analysis?.clusters ?? []).map(({ name }) => name);
  if (names.length < 2) return [];
  return names.filter((name) => cluster === null || name === cluster);
}

/**
 * Those of the cluster that is looked at. What does not say its cluster belongs to each: its name is that of servers in several.
 * @template {{ cluster?: string | undefined }} T
 * @param {readonly T[]} items
 * @param {string | null} cluster
 * @returns {readonly T[]}
 */
export function ofCluster(items, cluster) {
  return cluster === null ? items : items.filter((item) => item.cluster === undefined || item.cluster === cluster);
}
