/** Tells screen readers of findings that are new since the page was opened, and of nothing else. */
import { statement } from './findings.js';

/** @type {Set<string> | null} */
let known = null;

/** @param {readonly import('./page-state.js').Finding[]} findings those that are open now */
export function announceNew(findings) {
  const before = known;
  known = new Set(findings.map(({ fingerprint }) => fingerprint));
  const fresh = findings.filter(({ fingerprint }) => before !== null && !before.has(fingerprint));
  const place = document.getElementById('news');
  if (fresh.length === 0 || place === null) return;
  place.textContent = fresh.map((finding) => `New finding, ${finding.severity}: ${statement(finding)}`).join(' ');
}
