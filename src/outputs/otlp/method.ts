/** The HTTP method behind a Kubernetes verb: the audit log records the verb only. */

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
  // Requests for something that is no resource carry the method itself, in lower case.
  head: 'HEAD',
  options: 'OPTIONS',
  post: 'POST',
  put: 'PUT',
  connect: 'CONNECT',
  trace: 'TRACE',
};

/** A method of the HTTP semantic conventions, `_OTHER` for verbs that stand for none. */
export function methodOf(verb: string): string {
  return Object.hasOwn(METHODS, verb) ? (METHODS[verb] ?? '_OTHER') : '_OTHER';
}
