/** The routes of a service. */
import type { FastifyInstance } from 'fastify';

/** The patterns of all URLs that take a body. Call it when the app is ready. */
export function routesWithBody(app: FastifyInstance): string[] {
  const found: string[] = [];
  const above: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false, method: 'POST' }).split('\n')) {
    const [, indent, path, methods] = /^((?:[│ ] {3})*)[├└]── (\S+)( \(POST\))?/.exec(line) ?? [];
    if (indent === undefined || path === undefined) continue;
    above.splice(indent.length / 4, Number.POSITIVE_INFINITY, path);
    if (methods !== undefined) found.push(above.join(''));
  }
  return found;
}
