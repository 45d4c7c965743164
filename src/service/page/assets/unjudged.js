/** The rules that the records could not decide, by reason: silence about them would read as health. */
import { h } from './dom.js';
import { ofCluster } from './page-state.js';
import { visible } from './visible.js';

/** @param {import('./page-state.js').PageState} state */
export function renderUnjudged({ analysis, cluster }) {
  /** @type {Map<string, Set<string>>} */
  const byReason = new Map();
  for (const { rule, reason } of ofCluster(analysis?.unjudged ?? [], cluster)) {
    byReason.set(reason, (byReason.get(reason) ?? new Set()).add(rule));
  }
  return h(
    'section',
    { hidden: analysis === null },
    h('h2', { id: 'unjudged-title' }, 'Not judged'),
    byReason.size === 0
      ? h('p', { class: 'empty' }, 'Every rule could be judged.')
      : h(
          'dl',
          { class: 'unjudged' },
          [...byReason].flatMap(([reason, rules]) => [
            h('dt', {}, visible(reason.replace(/\s+/g, ' '))),
            h(
              'dd',
              {},
              [...rules].flatMap((rule, at) => [at === 0 ? null : ', ', h('code', {}, visible(rule))]),
            ),
          ]),
        ),
  );
}
