/** The route of a request to a kube-apiserver, made from the grammar of Kubernetes URLs; low in cardinality by construction. */
import { GROUPS, OTHER_PATHS, RESOURCES, SUBRESOURCES, VERSION } from './route-words.js';

/** Longest path that is parsed; kube-apiservers refuse far shorter ones. */
const MAX_PATH = 8_192;

/**
 * `/apis/batch/v1/namespaces/{namespace}/jobs/{name}/status` for the path of a request, without its query. Words that
 * Kubernetes itself does not know are templated too (`/apis/{group}/{version}/{resource}`); undefined for a path of no
 * known form, which has no route.
 */
export function routeOf(path: string): string | undefined {
  if (!path.startsWith('/') || path.length > MAX_PATH) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '');
  const [root, ...rest] = segments;
  if (root === 'api' && rest.length > 0) return apiRoute('/api', rest);
  if (root === 'apis' && rest.length > 0) return groupRoute(rest);
  const plain = `/${segments.join('/')}`;
  for (const [pattern, route] of OTHER_PATHS) if (pattern.test(plain)) return plain.replace(pattern, route);
  return undefined;
}

function groupRoute([group = '', ...rest]: readonly string[]): string | undefined {
  const base = `/apis/${GROUPS.has(group) ? group : '{group}'}`;
  return rest.length === 0 ? base : apiRoute(base, rest);
}

function apiRoute(base: string, [version = '', ...rest]: readonly string[]): string | undefined {
  const root = `${base}/${VERSION.test(version) ? version : '{version}'}`;
  if (rest.length === 0) return root;
  // The old forms /watch/… and /proxy/… stand before the resource.
  const [first = '', ...behind] = rest;
  if (first === 'watch' && behind.length > 0) return resourceRoute(`${root}/watch`, behind);
  if (first === 'proxy' && behind.length > 0) return `${root}/proxy/{path}`;
  return resourceRoute(root, rest);
}

function resourceRoute(root: string, segments: readonly string[]): string | undefined {
  const [resource = '', name, third, ...rest] = segments;
  if (resource !== 'namespaces') return objectRoute(root, segments);
  if (name === undefined) return `${root}/namespaces`;
  if (third === undefined) return `${root}/namespaces/{name}`;
  // Status and finalize are the namespace's own; anything else lies in it.
  if ((third === 'status' || third === 'finalize') && rest.length === 0) return `${root}/namespaces/{name}/${third}`;
  return objectRoute(`${root}/namespaces/{namespace}`, [third, ...rest]);
}

function objectRoute(root: string, [resource = '', name, subresource, ...rest]: readonly string[]): string | undefined {
  const collection = `${root}/${RESOURCES.has(resource) ? resource : '{resource}'}`;
  if (name === undefined) return collection;
  if (subresource === undefined) return `${collection}/{name}`;
  const object = `${collection}/{name}/${SUBRESOURCES.has(subresource) ? subresource : '{subresource}'}`;
  if (rest.length === 0) return object;
  return subresource === 'proxy' ? `${object}/{path}` : undefined;
}
