/** HTTP of the service: the admin server, and the bounded server that it stands on. */

export { type HttpServer, type HttpServerOptions, openHttpServer, type ServerTls } from '../../http/http-server.js';
export { HTTP_LIMITS, type HttpLimits } from '../../http/limits.js';
export { type AdminOptions, type AdminServer, openAdmin } from './admin.js';
