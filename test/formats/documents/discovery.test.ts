import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { discoveryViewOf, readDiscovery } from '../../../src/formats/documents/discovery.js';

describe('readDiscovery', () => {
  it('lists resources without subresources; the core group has no name', () => {
    const value = {
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2beta1',
      items: [
        {
          metadata: {},
          versions: [{ version: 'v1', resources: [{ resource: 'pods', subresources: [{ subresource: 'log' }] }] }],
        },
        {
          metadata: { name: 'batch' },
          versions: [
            { version: 'v1', resources: [{ resource: 'jobs' }, { resource: 'cronjobs' }] },
            { version: 'v1beta1' },
          ],
        },
      ],
    };
    expect(readDiscovery(value, 'merged', 4, 5)).toEqual({
      type: 'discovery',
      line: 4,
      offset: 5,
      view: 'merged',
      resources: ['pods/v1', 'jobs.batch/v1', 'cronjobs.batch/v1'],
    });
  });

  it('is none for other kinds', () => {
    expect(readDiscovery({ kind: 'APIGroupList', groups: [] }, 'unknown', 1, 0)).toBeUndefined();
  });

  it('never throws on wrong types', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (items) => {
        const isList = items === null || (Array.isArray(items) && items.length === 0);
        const read = readDiscovery({ kind: 'APIGroupDiscoveryList', items }, 'unknown', 1, 0);
        if (isList) expect(read).toMatchObject({ type: 'discovery', resources: [] });
        else expect(read).toBe('damaged');
      }),
    );
  });
});

describe('discoveryViewOf', () => {
  it.each([
    ['cp1-discovery-apis-merged.json', 'merged'],
    ['run/cp1_discovery.nopeer.json.gz', 'nopeer'],
    ['merged/cp1-nopeer.json', 'nopeer'],
    ['unmerged.json', 'unknown'],
    ['-', 'unknown'],
  ])('%s: %s', (name, view) => {
    expect(discoveryViewOf(name)).toBe(view);
  });
});
