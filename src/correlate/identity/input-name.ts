/** What an input's name says about its server: the name without the usual words, and words that may be host names. */

const USUAL = new Set(
  'audit audits kube apiserver apiservers kubernetes k8s api server log logs json ndjson txt gz zst out stdout stderr current previous live var lib pods containers container policy events event pod system control plane controlplane master lease leases metrics discovery apis merged nopeer prom klog process archive data'.split(
    ' ',
  ),
);
const DATE = /^\d{4}-?\d{2}-?\d{2}([tT_-]?\d{2}[-:.]?\d{2}[-:.]?\d{2}([.,]\d+)?)?$/;
const ROTATION = /([-.]\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3})|(-\d{8}(-\d{6})?)(?=\.|$)|(\.\d{1,4})(?=(\.gz)?$)/g;
const PART = /^(part|chunk|split|piece|copy|dup)\d*$/;
const MAX_WORDS = 12;

/**
 * The input's name without the usual words (audit, kube-apiserver, log, dates), from its last path component that
 * keeps any: `cp1` for `logs/cp1-audit-2026-01-02T03-04-05.678.log.gz` and for `cp1/audit.log`; '' when nothing is left.
 */
export function stemOf(inputName: string): string {
  if (inputName === '-') return '';
  for (const component of components(inputName).reverse()) {
    const stem = component
      .replace(ROTATION, '')
      .split(/([-_. ]+)/)
      .filter((part, at, parts) => at % 2 === 1 || keeps(part, parts))
      .join('')
      .replace(/^[-_. ]+|[-_. ]+$/g, '')
      .replace(/[-_. ]{2,}/g, '-');
    if (stem !== '') return stem;
  }
  return '';
}

/** Runs of words of the name, longest first: candidates for the host name whose hash is a known identity. */
export function hostCandidates(inputName: string): string[] {
  const found = new Set<string>();
  for (const component of components(inputName).reverse()) {
    const parts = component.split(/([-_. ]+)/).slice(0, MAX_WORDS * 2);
    for (let length = parts.length; length > 0; length -= 1) {
      for (let from = 0; from + length <= parts.length; from += 1) {
        const text = parts.slice(from, from + length).join('');
        if (/^[a-zA-Z0-9]/.test(text) && /[a-zA-Z0-9]$/.test(text)) found.add(text);
      }
    }
  }
  return [...found];
}

function components(inputName: string): string[] {
  return inputName
    .split(/[/\\]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .slice(-4);
}

function keeps(part: string, parts: readonly string[]): boolean {
  if (part === '') return false;
  if (USUAL.has(part.toLowerCase()) || PART.test(part.toLowerCase()) || DATE.test(part)) return false;
  // A lone number is a rotation or a partition, not a name, unless it belongs to a longer one (`10-0-1-12`).
  return !/^\d+$/.test(part) || parts.filter((p) => /^\d+$/.test(p)).length > 2;
}
