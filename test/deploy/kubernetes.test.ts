/** deploy/kubernetes fits the types of a control plane, and its parts fit each other. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { checkConfigFile } from '../../src/config/check/index.js';
import { type Config, parseConfig } from '../../src/config/index.js';
import { makeCertificates } from '../outputs/delivery/certificates.js';
import {
  BUILD_TIMEOUT_MS,
  type KubernetesObject,
  type Manifests,
  manifests,
  whyNoManifests,
} from '../services/manifests/manifests.js';
import { makeFolder } from '../sources/folder.js';

const FOLDER = fileURLToPath(new URL('../../deploy/kubernetes', import.meta.url));
const SCHEMA = fileURLToPath(new URL('../../schema/config.json', import.meta.url));
const missing = whyNoManifests();
if (missing !== undefined) console.warn(`deploy/kubernetes is not checked: ${missing}`);

const labels = z.record(z.string(), z.string());
const port = z.object({ name: z.string(), containerPort: z.number() });
const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string(), scheme: z.string() }) });
const source = z.object({
  configMap: z.object({ name: z.string() }).optional(),
  secret: z
    .object({ name: z.string(), items: z.array(z.object({ key: z.string(), path: z.string() })).optional() })
    .optional(),
});
/** What the checks look at; all else has been checked by the program. */
const deploymentSpec = z.object({
  selector: z.object({ matchLabels: labels }),
  template: z.object({
    metadata: z.object({ labels }),
    spec: z.object({
      terminationGracePeriodSeconds: z.number(),
      topologySpreadConstraints: z.array(z.object({ labelSelector: z.object({ matchLabels: labels }) })),
      containers: z.tuple([
        z.object({
          args: z.array(z.string()),
          image: z.string(),
          ports: z.array(port),
          startupProbe: probe,
          livenessProbe: probe,
          readinessProbe: probe,
          resources: z.object({ limits: z.object({ memory: z.string() }) }),
          securityContext: z.object({ readOnlyRootFilesystem: z.boolean() }),
          volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
        }),
      ]),
      volumes: z.array(z.object({ name: z.string(), projected: z.object({ sources: z.array(source) }).optional() })),
    }),
  }),
});
const serviceSpec = z.object({
  selector: labels,
  ports: z.array(z.object({ name: z.string(), targetPort: z.string() })),
});

(missing === undefined ? describe : describe.skip)('deploy/kubernetes', () => {
  let program: Manifests;
  let objects: readonly KubernetesObject[];
  let config: Config;
  let configText: string;
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const only = (kind: string) => {
    const [object, ...more] = ofKind(kind);
    if (object === undefined || more.length > 0) throw new Error(`not one ${kind}`);
    return object;
  };
  const deployment = () => deploymentSpec.parse(only('Deployment').spec);
  const pod = () => deployment().template.spec;

  beforeAll(async () => {
    program = await manifests();
    const built = program.build(FOLDER);
    expect(built.mistakes).toBe('');
    objects = built.objects;
    const { data } = z.object({ data: z.object({ 'skewscope.yaml': z.string() }) }).parse(only('ConfigMap'));
    configText = data['skewscope.yaml'];
    config = parseConfig(configText, 'skewscope.yaml');
  }, BUILD_TIMEOUT_MS);

  test('has all there should be', () => {
    expect(objects.map(({ kind }) => kind).sort()).toEqual(
      [
        ...['ConfigMap', 'Deployment', 'Namespace', 'NetworkPolicy', 'PodDisruptionBudget'],
        ...['Service', 'Service', 'ServiceAccount', 'ServiceMonitor'],
      ].sort(),
    );
  });

  test('every selector finds the pods', () => {
    const { selector, template } = deployment();
    const bySpec = z.object({ selector: z.object({ matchLabels: labels }) });
    const selectors = [
      selector.matchLabels,
      ...template.spec.topologySpreadConstraints.map(({ labelSelector }) => labelSelector.matchLabels),
      bySpec.parse(only('PodDisruptionBudget').spec).selector.matchLabels,
      z.object({ podSelector: z.object({ matchLabels: labels }) }).parse(only('NetworkPolicy').spec).podSelector
        .matchLabels,
      ...ofKind('Service').map(({ spec }) => serviceSpec.parse(spec).selector),
    ];
    for (const wanted of selectors) {
      expect(Object.keys(wanted)).not.toEqual([]);
      expect(template.metadata.labels).toMatchObject(wanted);
    }
  });

  test('ports are those that the configuration listens on', () => {
    const [container] = pod().containers;
    const named = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]));
    expect(named).toEqual({ admin: config.listen.admin?.port, webhook: config.listen.webhook?.address.port });
    const targets = ofKind('Service').flatMap(({ spec }) =>
      serviceSpec.parse(spec).ports.map(({ targetPort }) => targetPort),
    );
    expect(targets.sort()).toEqual(Object.keys(named).sort());
    for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      expect(httpGet).toMatchObject({ port: 'admin', scheme: config.listen.tls === undefined ? 'HTTP' : 'HTTPS' });
    }
    expect(container.livenessProbe.httpGet.path).toBe('/livez');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  });

  test('Prometheus finds a port of a service, and has the token that the configuration asks for', () => {
    const monitor = z
      .object({
        selector: z.object({ matchLabels: labels }),
        endpoints: z.tuple([
          z.object({
            port: z.string(),
            path: z.literal('/metrics'),
            scheme: z.string(),
            authorization: z.object({ credentials: z.object({ name: z.string(), key: z.string() }) }),
          }),
        ]),
      })
      .parse(only('ServiceMonitor').spec);
    const [endpoint] = monitor.endpoints;
    const service = ofKind('Service').find(({ metadata }) => metadata.name === 'skewscope');
    expect(service?.metadata.labels).toMatchObject(monitor.selector.matchLabels);
    expect(serviceSpec.parse(service?.spec).ports.map(({ name }) => name)).toContain(endpoint.port);
    expect(config.listen.token).toBe(`fromFile:${endpoint.authorization.credentials.key}`);
    expect(endpoint.scheme).toBe(config.listen.tls === undefined ? 'http' : 'https');
  });

  test('the service ends before the pod is killed, in the memory it may have, and writes to its spool alone', () => {
    const { terminationGracePeriodSeconds, containers } = pod();
    const [{ resources, securityContext, volumeMounts }] = containers;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(config.service.drainMs / 1_000 + 5);
    expect(resources.limits.memory).toBe('512Mi');
    expect(securityContext.readOnlyRootFilesystem).toBe(true);
    expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain(config.outputs?.spool?.dir);
  });

  test('what the configuration reads is beside it: config check finds no mistake', async () => {
    const { containers, volumes } = pod();
    const [{ args, volumeMounts }] = containers;
    expect(args).toEqual([
      'serve',
      '--config',
      `${volumeMounts.find(({ name }) => name === 'config')?.mountPath}/skewscope.yaml`,
    ]);
    const sources = volumes.find(({ name }) => name === 'config')?.projected?.sources ?? [];
    expect(sources.map(({ configMap }) => configMap?.name).filter((name) => name !== undefined)).toEqual([
      only('ConfigMap').metadata.name,
    ]);
    const certificates = makeCertificates();
    const content: Readonly<Record<string, string>> = {
      'kafka-ca.crt': certificates.ca,
      'tls.crt': certificates.server.cert,
      'tls.key': certificates.server.key,
    };
    // The keys of the secret that is not among the objects are those that the comment tells to make.
    const made = [...readFileSync(`${FOLDER}/kustomization.yaml`, 'utf8').matchAll(/--from-file=(\S+)/g)].map(
      ([, key = '']) => key,
    );
    const names = sources.flatMap(({ secret }) =>
      secret === undefined ? [] : (secret.items?.map(({ path }) => path) ?? made),
    );
    const files = names.map((name) => [name, content[name] ?? 'a-secret-of-this-test-alone']);
    const folder = makeFolder({
      ...Object.fromEntries(files),
      'skewscope.yaml': configText.replace('/var/lib/skewscope', 'spool'),
    });
    const { mistakes, summary } = await checkConfigFile(`${folder.path}/skewscope.yaml`, {
      env: {},
      nowMs: Date.now(),
    });
    folder.drop();
    certificates.drop();
    expect(mistakes).toEqual([]);
    expect(summary).not.toEqual([]);
  });

  test('the network policy lets out what the configuration names, and DNS', () => {
    const rule = z.object({ ports: z.array(z.object({ port: z.union([z.string(), z.number()]) })) });
    const { egress, ingress } = z
      .object({ egress: z.array(rule), ingress: z.array(rule) })
      .parse(only('NetworkPolicy').spec);
    const out = new Set(egress.flatMap(({ ports }) => ports.map((entry) => String(entry.port))));
    const wanted = [
      ...(config.kafka?.connection.brokers ?? []).map((broker) => broker.split(':').at(-1)),
      ...(config.outputs?.alertmanager ?? []).flatMap(({ urls }) => urls.map((url) => new URL(url).port)),
      '53',
    ];
    expect(wanted.filter((port) => !out.has(port ?? ''))).toEqual([]);
    expect(ingress.flatMap(({ ports }) => ports.map((entry) => entry.port)).sort()).toEqual(['admin', 'webhook']);
  });

  test('replicas share the work, for there is more than one', () => {
    const { replicas } = z.object({ replicas: z.number() }).parse(only('Deployment').spec);
    expect(config.kafka?.scaleOut?.partitions ?? 1).toBeGreaterThanOrEqual(replicas);
  });

  test('the configuration fits the JSON Schema', () => {
    expect(program.validate(SCHEMA, [`${FOLDER}/skewscope.yaml`])).toBe('');
  });

  test.each([
    [
      'a field that no Deployment has',
      'replicas: 2',
      'replica: 2',
      'apps/v1 Deployment skewscope: error unmarshaling JSON: while decoding JSON: json: unknown field "replica"',
    ],
    [
      'a pod with more rights than it needs',
      'drop: [ALL]',
      'drop: [NET_RAW]',
      'not restricted: unrestricted capabilities',
    ],
  ])('%s would be noticed', (_, good, bad, message) => {
    const { path, drop } = makeFolder();
    cpSync(FOLDER, path, { recursive: true });
    const text = readFileSync(`${path}/deployment.yaml`, 'utf8');
    expect(text).toContain(good);
    writeFileSync(`${path}/deployment.yaml`, text.replace(good, bad));
    const { mistakes } = program.build(path);
    drop();
    expect(mistakes).toContain(message);
  });
});
