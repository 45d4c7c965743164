/** The rules that these records could not decide, folded by reason: silence about them would read as health. */
import type { Unjudged } from '../../model/finding.js';
import { groupBy, sortBy } from '../order.js';
import { escapeProse, escapeText } from './escape.js';
import type { Page } from './page.js';
import { indented, wrap } from './wrap.js';

export function renderUnjudged(page: Page, unjudged: readonly Unjudged[]): string[] {
  const byReason = groupBy(
    sortBy(unjudged, ({ reason, rule }) => [reason, rule]),
    ({ reason }) => reason,
  );
  return [...byReason].flatMap(([reason, rules]) => {
    const names = [...new Set(rules.map(({ rule }) => escapeText(rule)))].join(', ');
    return [
      ...indented(`${escapeProse(reason)}:`, page.width),
      ...wrap(names, page.width - 6).map((line) => page.dim(`      ${line}`)),
    ];
  });
}
