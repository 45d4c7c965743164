/** The page: asks the service every two seconds and draws what has changed. */

import { askForToken, forgetToken, hideForm, onToken, token, tokenNeeded } from './access.js';
import { renderDiscovery } from './discovery.js';
import { renderFindings } from './findings.js';
import { lostWords, renderFooter, renderHeader } from './header.js';
import { renderPartitions, renderSinks } from './intake.js';
import { morphChildren } from './morph.js';
import { announceNew } from './news.js';
import { renderNotFound } from './not-found.js';
import { poll } from './poll.js';
import { copyBeside } from './prose.js';
import { renderRequests } from './requests.js';
import { renderServers } from './servers.js';
import { AccessError, Source } from './source.js';
import { renderUnjudged } from './unjudged.js';
import { renderVerdict } from './verdict.js';

/** @typedef {import('./page-state.js').PageState} PageState */

const EVERY_MS = 2000;
const PARTS = {
  header: renderHeader,
  verdict: renderVerdict,
  findings: renderFindings,
  servers: renderServers,
  discovery: renderDiscovery,
  requests: renderRequests,
  'not-found': renderNotFound,
  partitions: renderPartitions,
  sinks: renderSinks,
  unjudged: renderUnjudged,
  footer: renderFooter,
};
const status = /** @type {Source<import('./page-state.js').Status>} */ (new Source('/api/v1/status'));
const analysis = /** @type {Source<import('./page-state.js').Analysis>} */ (new Source('/api/v1/analysis'));
const requests = /** @type {Source<{ requests: import('./page-state.js').ProxiedRequest[] }>} */ (
  new Source('/api/v1/requests')
);

/** @type {PageState | null} */
let state = null;
/** By this machine's clock. */
let answeredAt = Date.now();
let failure = '';

async function refresh() {
  if (tokenNeeded() && token() === '') {
    askForToken('');
    return true;
  }
  try {
    const latest = await status.read(token());
    const rest = latest.value.judged ? await Promise.all([analysis.read(token()), requests.read(token())]) : null;
    hideForm();
    const changed = latest.changed || rest === null || rest.some((part) => part.changed);
    answeredAt = Date.now();
    failure = '';
    state = {
      status: latest.value,
      analysis: rest?.[0].value ?? null,
      requests: rest?.[1].value.requests ?? [],
      cluster: chosenCluster(),
      now: latest.at,
    };
    if (changed) draw();
    else drawPart('header', state);
  } catch (error) {
    if (error instanceof AccessError) {
      forgetToken();
      askForToken(`The service did not take it: ${error.message}.`);
      return true;
    }
    failure = error instanceof Error ? error.message : String(error);
  }
  showBanner();
  return failure === '';
}

function draw() {
  if (state === null) return;
  for (const id of /** @type {(keyof typeof PARTS)[]} */ (Object.keys(PARTS))) drawPart(id, state);
  const problems = (state.analysis?.findings ?? []).filter(({ severity }) => severity !== 'info');
  announceNew(problems);
  document.title = problems.length === 0 ? 'skewscope' : `(${problems.length}) skewscope`;
}

/**
 * @param {keyof typeof PARTS} id
 * @param {PageState} drawn
 */
function drawPart(id, drawn) {
  const place = document.getElementById(id);
  if (place === null) return;
  const fresh = PARTS[id](drawn);
  place.hidden = fresh.hidden;
  morphChildren(place, fresh);
}

function showBanner() {
  const banner = document.getElementById('banner');
  if (banner === null) return;
  banner.hidden = failure === '';
  banner.textContent = failure === '' ? '' : lostWords(state === null ? null : Date.now() - answeredAt, failure);
}

/** Kept in the address, so that a link leads to the same. A cluster that is gone is none. */
function chosenCluster() {
  const name = new URLSearchParams(location.hash.slice(1)).get('cluster');
  return name === null || name === '' ? null : name;
}

const refreshNow = poll(refresh, EVERY_MS);
onToken(refreshNow);
setInterval(showBanner, 1000);
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.matches('[data-action="copy"]')) void copyBeside(target);
});
document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLSelectElement && target.id === 'cluster')) return;
  history.replaceState(null, '', target.value === '' ? '#' : `#${new URLSearchParams({ cluster: target.value })}`);
  if (state !== null) state = { ...state, cluster: chosenCluster() };
  draw();
});
