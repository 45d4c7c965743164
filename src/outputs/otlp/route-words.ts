/**
 * The words that may stand in a route as they are: API groups, resources and subresources of Kubernetes itself. Only
 * these pass through the peer proxy (custom and aggregated resources do not), and a closed list is the only one that a
 * hostile client cannot make longer.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const GROUPS = words(`
  admissionregistration.k8s.io apiextensions.k8s.io apiregistration.k8s.io apps authentication.k8s.io
  authorization.k8s.io autoscaling batch certificates.k8s.io coordination.k8s.io discovery.k8s.io events.k8s.io
  extensions flowcontrol.apiserver.k8s.io internal.apiserver.k8s.io lifecycle.k8s.io networking.k8s.io node.k8s.io
  policy rbac.authorization.k8s.io resource.k8s.io scheduling.k8s.io storage.k8s.io storagemigration.k8s.io
`);

export const RESOURCES = words(`
  apiservices bindings certificatesigningrequests clusterrolebindings clusterroles clustertrustbundles
  componentstatuses configmaps controllerrevisions cronjobs csidrivers csinodes csistoragecapacities
  customresourcedefinitions daemonsets deployments deviceclasses devicetaintrules endpoints endpointslices events
  evictionrequests flowschemas horizontalpodautoscalers ingressclasses ingresses ipaddresses jobs leasecandidates
  leases limitranges localsubjectaccessreviews mutatingadmissionpolicies mutatingadmissionpolicybindings
  mutatingwebhookconfigurations namespaces networkpolicies nodes persistentvolumeclaims persistentvolumes
  podcertificaterequests poddisruptionbudgets podgroups pods podtemplates priorityclasses
  prioritylevelconfigurations replicasets replicationcontrollers resourceclaims resourceclaimtemplates
  resourcepoolstatusrequests resourcequotas resourceslices rolebindings roles runtimeclasses secrets
  selfsubjectaccessreviews selfsubjectreviews selfsubjectrulesreviews serviceaccounts servicecidrs services
  statefulsets storageclasses storageversionmigrations storageversions subjectaccessreviews tokenreviews
  validatingadmissionpolicies validatingadmissionpolicybindings validatingwebhookconfigurations volumeattachments
  volumeattributesclasses workloads
`);

export const SUBRESOURCES = words(`
  approval attach binding ephemeralcontainers eviction exec finalize log portforward proxy resize scale status token
`);

export const VERSION = /^v[1-9](?:(?:alpha|beta)[1-9])?$/;

/** Paths that are no API resource: the first match gives the route. */
export const OTHER_PATHS: readonly (readonly [RegExp, string])[] = [
  [/^\/(api|apis|version|metrics|healthz|livez|readyz|logs|flagz|statusz|configz)$/, '/$1'],
  [/^\/(healthz|livez|readyz)\/.+$/, '/$1/{check}'],
  [/^\/metrics\/(cadvisor|probes|resource|slis)$/, '/metrics/$1'],
  [/^\/openapi\/(v2|v3)$/, '/openapi/$1'],
  [/^\/openapi\/v3\/.+$/, '/openapi/v3/{path}'],
  [/^\/\.well-known\/openid-configuration$/, '/.well-known/openid-configuration'],
  [/^\/openid\/v1\/jwks$/, '/openid/v1/jwks'],
  [/^\/logs\/.+$/, '/logs/{path}'],
  [/^\/debug\/.+$/, '/debug/{path}'],
];
