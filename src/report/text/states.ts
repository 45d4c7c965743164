/** Rules about what a server is, not what it does: how often it was seen means nothing to people. */
const STATES: ReadonlySet<string> = new Set([
  'advertise-half-set',
  'advertise-ignored',
  'advertise-invalid',
  'advertise-loopback',
  'advertise-shared',
  'clusters-mixed',
  'discovery-edge-missing',
  'discovery-stale',
  'feature-inactive',
  'gate-off',
  'mixed-version-window',
  'peer-ca-missing',
  'upgrade-stalled',
  'version-skew-unsupported',
]);

export function isState(rule: string): boolean {
  return STATES.has(rule);
}
