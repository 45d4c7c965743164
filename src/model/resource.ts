/** Group/version/resource as one string, and what a request URI says about it. */

/** `jobs.batch/v1`; `pods/v1` for the core group; '' without a resource. */
export function formatResource(resource: string, group: string, version: string): string {
  if (resource === '') return '';
  return group === '' ? `${resource}/${version}` : `${resource}.${group}/${version}`;
}

/** The group and version part: `batch/v1`, `v1` for core. Shape of an audit URI's `/apis/batch/v1`. */
export function groupVersionOf(resource: string): string {
  const slash = resource.lastIndexOf('/');
  const dot = resource.indexOf('.');
  return dot < 0 || dot > slash ? resource.slice(slash + 1) : resource.slice(dot + 1);
}

const RESOURCE_PATH =
  /^\/(?:api\/(v[^/]+)|apis\/([^/]+)\/(v[^/]+))\/(?:namespaces\/[^/]+\/(?!status$|finalize$))?([^/?]+)/;

/** The resource that a request path asks for, as `jobs.batch/v1`; '' for paths that name none. */
export function resourceOfPath(path: string): string {
  const match = RESOURCE_PATH.exec(path);
  return match === null ? '' : formatResource(match[4] ?? '', match[2] ?? '', match[1] ?? match[3] ?? '');
}

/** Path and canonical query (pairs re-encoded and sorted by key, as Go's url.Values.Encode does) of a request URI. */
export function canonicalURI(uri: string): string {
  const mark = uri.indexOf('?');
  if (mark < 0) return decodePath(uri);
  const path = decodePath(uri.slice(0, mark));
  const query = uri.slice(mark + 1);
  if (query === '') return path;
  const pairs = [...new URLSearchParams(query)].map(([key, value], at) => ({ key, value, at }));
  pairs.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.at - b.at));
  return `${path}?${pairs.map((p) => `${encodeURIComponent(p.key)}=${encodeURIComponent(p.value)}`).join('&')}`;
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
