/** The routes of a service. */
import type { FastifyInstance } from 'fastify';

/** The patterns of all URLs that take a body. Call it when the app is ready. */
export const routesWithBody = (app: FastifyInstance): string[] => routesOf(app, 'POST');

/** The patterns of all URLs with this method. Call it when the app is ready. */
export function routesOf(app: FastifyInstance, method: 'GET' | 'POST'): string[] {
  const found: string[] = [];
  const above: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false, method }).split('\n')) {
    const [, indent, path, methods] = /^((?:[│ ] {3})*)[├└]── (\S+)( \([A-Z, ]+\))?/.exec(line) ?? [];
    if (indent === undefined || path === undefined) continue;
    above.splice(indent.length / 4, Number.POSITIVE_INFINITY, path);
    if (methods !== undefined) found.push(above.join(''));
  }
  return found;
}
