/**
 * Built-in resources that a kube-apiserver serves by default, by minor version: the weakest evidence of who serves
 * what, since flags and feature gates change the set. Source: the aggregated discovery of the releases.
 */

/** Group/version → resources; `since` (and `until`) are minors of Kubernetes 1.x. */
interface Served {
  readonly since: number;
  readonly until?: number;
  readonly resources: readonly string[];
}

const words = (text: string): readonly string[] => text.split(' ');

const TABLE: Readonly<Record<string, readonly Served[]>> = {
  v1: [
    {
      since: 0,
      resources: words(
        'bindings componentstatuses configmaps endpoints events limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods podtemplates replicationcontrollers resourcequotas secrets serviceaccounts services',
      ),
    },
  ],
  'admissionregistration.k8s.io/v1': [
    { since: 16, resources: words('mutatingwebhookconfigurations validatingwebhookconfigurations') },
    { since: 30, resources: words('validatingadmissionpolicies validatingadmissionpolicybindings') },
    { since: 36, resources: words('mutatingadmissionpolicies mutatingadmissionpolicybindings') },
  ],
  'apiextensions.k8s.io/v1': [{ since: 16, resources: words('customresourcedefinitions') }],
  'apiregistration.k8s.io/v1': [{ since: 10, resources: words('apiservices') }],
  'apps/v1': [{ since: 9, resources: words('controllerrevisions daemonsets deployments replicasets statefulsets') }],
  'authentication.k8s.io/v1': [
    { since: 6, resources: words('tokenreviews') },
    { since: 28, resources: words('selfsubjectreviews') },
  ],
  'authorization.k8s.io/v1': [
    {
      since: 6,
      resources: words(
        'localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews',
      ),
    },
  ],
  'autoscaling/v1': [{ since: 2, resources: words('horizontalpodautoscalers') }],
  'autoscaling/v2': [{ since: 23, resources: words('horizontalpodautoscalers') }],
  'batch/v1': [
    { since: 2, resources: words('jobs') },
    { since: 21, resources: words('cronjobs') },
  ],
  'certificates.k8s.io/v1': [{ since: 19, resources: words('certificatesigningrequests') }],
  'coordination.k8s.io/v1': [{ since: 14, resources: words('leases') }],
  'discovery.k8s.io/v1': [{ since: 21, resources: words('endpointslices') }],
  'events.k8s.io/v1': [{ since: 19, resources: words('events') }],
  'flowcontrol.apiserver.k8s.io/v1': [{ since: 29, resources: words('flowschemas prioritylevelconfigurations') }],
  'networking.k8s.io/v1': [
    { since: 19, resources: words('ingressclasses ingresses networkpolicies') },
    { since: 33, resources: words('ipaddresses servicecidrs') },
  ],
  'node.k8s.io/v1': [{ since: 20, resources: words('runtimeclasses') }],
  'policy/v1': [{ since: 21, resources: words('poddisruptionbudgets') }],
  'rbac.authorization.k8s.io/v1': [
    { since: 8, resources: words('clusterrolebindings clusterroles rolebindings roles') },
  ],
  'resource.k8s.io/v1': [
    { since: 34, resources: words('deviceclasses resourceclaims resourceclaimtemplates resourceslices') },
  ],
  'scheduling.k8s.io/v1': [{ since: 14, resources: words('priorityclasses') }],
  'storage.k8s.io/v1': [
    { since: 6, resources: words('storageclasses volumeattachments') },
    { since: 18, resources: words('csidrivers csinodes') },
    { since: 24, resources: words('csistoragecapacities') },
    { since: 34, resources: words('volumeattributesclasses') },
  ],
};

const BUILT_IN_GROUPS = new Set([
  ...Object.keys(TABLE).map((groupVersion) =>
    groupVersion.includes('/') ? groupVersion.slice(0, groupVersion.indexOf('/')) : '',
  ),
  'extensions',
  'internal.apiserver.k8s.io',
  'storagemigration.k8s.io',
  'lifecycle.k8s.io',
]);

/** True when a server of that version serves the resource by default; undefined for versions it cannot judge. */
export function servedByDefault(resource: string, version: string): boolean | undefined {
  const minor = minorOf(version);
  if (minor === undefined) return undefined;
  const slash = resource.lastIndexOf('/');
  const dot = resource.indexOf('.');
  const name = dot < 0 || dot > slash ? resource.slice(0, slash) : resource.slice(0, dot);
  const groupVersion = dot < 0 || dot > slash ? resource.slice(slash + 1) : resource.slice(dot + 1);
  // The group and version of a request are the client's own words: `/api/constructor/pods` is one.
  const rows = Object.hasOwn(TABLE, groupVersion) ? TABLE[groupVersion] : undefined;
  if (rows === undefined) return undefined;
  return rows.some(
    (row) => row.resources.includes(name) && minor >= row.since && (row.until === undefined || minor < row.until),
  );
}

/** True for groups of Kubernetes itself: custom and aggregated resources never pass through the peer proxy. */
export function isBuiltIn(resource: string): boolean {
  const slash = resource.lastIndexOf('/');
  const dot = resource.indexOf('.');
  if (dot < 0 || dot > slash) return true;
  return BUILT_IN_GROUPS.has(resource.slice(dot + 1, slash));
}

/** 36 for `v1.36.2`. */
export function minorOf(version: string): number | undefined {
  const match = /^v1\.(\d+)/.exec(version);
  return match === null ? undefined : Number(match[1]);
}
