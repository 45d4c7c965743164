/** A minimal, correct rule for tests; `changes` replaces or removes (null) top-level keys, given as YAML. */
const MINIMAL: Readonly<Record<string, string>> = {
  id: 'some-rule',
  title: 'Some rule',
  severity: 'warning',
  consumes: '[peer-call-failure]',
  when: 'o.cause == "refused"',
  texts: `
  summary: "{{ server }} fails {{ plural(count, 'time') }}"
  meaning: meaning
  cause: "{{ o.error }}"
  fix: fix
  verify: verify`,
};

export function ruleText(changes: Readonly<Record<string, string | null>> = {}): string {
  return Object.entries({ ...MINIMAL, ...changes })
    .filter(([, value]) => value !== null)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
}
