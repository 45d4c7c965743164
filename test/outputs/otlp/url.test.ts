/** What of a URI may be shown. */
import { describe, expect, test } from '@jest/globals';
import { uriParts } from '../../../src/outputs/otlp/url.js';

describe('uriParts', () => {
  test('shows the values of known parameters and hides the others', () => {
    expect(uriParts('/api/v1/pods?limit=500&labelSelector=app%3Dweb&continue=eyJ2&command=ls').shownQuery).toBe(
      'limit=500&labelSelector=app%3Dweb&continue=REDACTED&command=REDACTED',
    );
  });

  test('leaves out what goes to another server behind /proxy/', () => {
    const { path, shownPath } = uriParts('/api/v1/namespaces/x/services/web/proxy/reset/s3cr3t?user=me');
    expect(shownPath).toBe('/api/v1/namespaces/x/services/web/proxy/…');
    expect(path).toBe('/api/v1/namespaces/x/services/web/proxy/reset/s3cr3t');
  });

  test('is bounded', () => {
    const long = 'x'.repeat(100_000);
    const parts = uriParts(`/api/${long}?${`limit=${long}&`.repeat(100)}`);
    expect(parts.shownPath.length).toBeLessThanOrEqual(512);
    expect(parts.shownQuery.length).toBeLessThanOrEqual(512);
  });

  test('has no query where there is none', () => {
    expect(uriParts('/api/v1/pods').shownQuery).toBe('');
  });
});
