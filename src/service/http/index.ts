/** HTTP of the service: the admin server, and the bounded server that it stands on. */
export { type AdminOptions, type AdminServer, openAdmin } from './admin.js';
export { type HttpServer, type HttpServerOptions, openHttpServer, type ServerTls } from './http-server.js';
export { HTTP_LIMITS, type HttpLimits } from './limits.js';
