/** What the observations about peer discovery say, and of what they keep silent. */
import { expect, test } from '@jest/globals';
import {
  cluster,
  correlate,
  inputsOf,
  learns,
  leaseObject,
  MIN,
  only,
  SEC,
  server,
  T0,
  type TestInput,
  type TestServer,
} from '../kit.js';

const END = T0 + 3 * MIN;
/** When the documents were fetched. */
const LISTED = T0 + 150 * SEC;

function document(name: string, ...resources: readonly string[]): TestInput {
  const items = [
    {
      metadata: { name: 'batch' },
      versions: [{ version: 'v1', resources: resources.map((resource) => ({ resource })) }],
    },
  ];
  return {
    name,
    content: JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items }),
  };
}

/** cp1 lists jobs, which it does not serve itself; `of` are the servers whose leases were listed with it, by their last renewal. */
function listed(of: readonly (readonly [TestServer, number])[]): TestInput[] {
  const leases = of.map(([{ identity, name, advertises }, at]) => leaseObject(identity, name, advertises, at, T0));
  const list = { kind: 'LeaseList', apiVersion: 'coordination.k8s.io/v1', metadata: {}, items: leases };
  return [
    document('cp1-discovery-apis-merged.json', 'cronjobs', 'jobs'),
    document('cp1-discovery-apis-nopeer.json', 'cronjobs'),
    { name: 'cp1-leases.json', content: JSON.stringify(list) },
  ];
}

const staleOf = (inputs: readonly TestInput[]) =>
  only(correlate(inputs), 'discovery-stale').map(({ server: source, resources }) => [source, resources]);

test('a list is stale when the only server that had the API has stopped', () => {
  const [cp1, cp2] = cluster(['cp1', 'cp2'], { until: END });
  if (cp1 === undefined || cp2 === undefined) throw new Error('no servers');
  cp2.dies(T0 + 2 * MIN).stops(T0 + 2 * MIN);
  expect(staleOf([...inputsOf([cp1, cp2]), ...listed([[cp1, LISTED]])])).toEqual([['cp1', ['jobs.batch/v1']]]);
});

test('nothing is called stale while a server may have the API of which no records are here', () => {
  const [cp1, cp2] = [server('cp1').boots(T0, { until: END }), server('cp2')];
  learns(cp1, cp2, T0 + 15 * SEC);
  const late = listed([
    [cp1, LISTED],
    [cp2, LISTED - 5 * SEC],
  ]);
  expect(staleOf([...inputsOf([cp1]), ...late])).toEqual([]);
});

test('a lease that ran out long ago is no server', () => {
  const [cp1, cp2] = [server('cp1').boots(T0, { until: END }), server('cp2')];
  const late = listed([
    [cp1, LISTED],
    [cp2, T0 - 90 * MIN],
  ]);
  expect(staleOf([...inputsOf([cp1]), ...late])).toEqual([['cp1', ['jobs.batch/v1']]]);
});

const capabilitiesOf = (inputs: readonly TestInput[]) => correlate(inputs).capabilities;

test('whether a list is stale cannot be told without the records of a server, or without the leases that tell of it', () => {
  const [cp1, cp2, cp3] = cluster(['cp1', 'cp2', 'cp3'], { until: END });
  if (cp1 === undefined || cp2 === undefined || cp3 === undefined) throw new Error('no servers');
  const documents = listed([cp1, cp2, cp3].map((each) => [each, LISTED] as const));
  const complete = capabilitiesOf([...inputsOf([cp1, cp2, cp3]), ...documents]);
  for (const each of ['discovery-documents', 'own-discovery-documents', 'lease-list', 'all-servers'] as const)
    expect(complete).toContain(each);
  expect(capabilitiesOf([...inputsOf([cp1, cp2]), ...documents])).not.toContain('all-servers');
  expect(capabilitiesOf([...inputsOf([cp1, cp2, cp3]), ...documents.slice(0, 2)])).not.toContain('lease-list');
  expect(capabilitiesOf([...inputsOf([cp1, cp2, cp3]), ...documents.slice(1)])).not.toContain(
    'own-discovery-documents',
  );
});

test('that nobody reaches a server whose address is another one’s is no gap', () => {
  const gapsAt = (advertises: string) => {
    const all = [server('cp1'), server('cp2', { advertises }), server('cp3')];
    for (const each of all) each.boots(T0, { until: END });
    const [cp1, cp2, cp3] = all;
    if (cp1 === undefined || cp2 === undefined || cp3 === undefined) throw new Error('no servers');
    for (const [source, destination] of [
      [cp1, cp3],
      [cp2, cp1],
      [cp2, cp3],
      [cp3, cp1],
    ] as const)
      learns(source, destination, T0 + 15 * SEC);
    return only(correlate(inputsOf(all, 'audit')), 'peer-discovery-gap').map((gap) => gap.server);
  };
  expect(gapsAt('10.0.0.12:6443')).toEqual(['cp2']);
  expect(gapsAt('10.0.0.11:6443')).toEqual([]);
});
