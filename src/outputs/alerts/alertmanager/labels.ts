/** Labels of an alert: its identity and nothing else, so that every time and every replica sends the same ones. */
import type { Notice } from '../../delivery/notice.js';
import { plain, ruleOf, severityOf } from '../text.js';

export type Labels = Readonly<Record<string, string>>;

/** Prometheus takes any text as a value; long ones are useless in routes and heavy in indexes. */
const MAX_VALUE = 200;

/** `own`: labels that the operator adds; they do not replace those of the alert. Empty values are left out. */
export function labelsOf(notice: Notice, own: Labels = {}): Labels {
  const [finding] = notice.findings;
  const single = notice.scope === 'finding' ? finding : undefined;
  const rule = ruleOf(notice);
  const labels: Record<string, string> = {
    ...own,
    alertname: alertName(rule),
    severity: severityOf(notice),
    cluster: notice.cluster,
    rule,
    fingerprint: notice.key,
    server: single?.server ?? '',
    resource: single?.resource ?? '',
  };
  const bounded = Object.entries(labels).map(([name, value]) => [name, plain(value, MAX_VALUE)] as const);
  return Object.fromEntries(bounded.filter(([, value]) => value !== ''));
}

/** `peer-ca-untrusted` → `SkewscopePeerCaUntrusted`. */
export function alertName(rule: string): string {
  const words = rule.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return `Skewscope${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`.slice(0, MAX_VALUE);
}
