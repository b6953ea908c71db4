/**
 * Requests that an open page makes by itself, without anything that its reader does: updates of its live parts, and
 * reloads. They do not keep a session alive, which would otherwise never end on a machine that somebody has left.
 *
 * A browser can claim this of any request. Then its session ends earlier.
 */
import type { FastifyRequest } from 'fastify';
import { queryParameters } from '../http/parameters.ts';

/** The header of the dashboard's script (`live.ts`). */
export const BY_ITSELF_HEADER = 'x-by-itself';
/** The parameter in the URL of a page that loads again without a script. */
const PARAMETER = 'by_itself';

export const isByItself = (request: FastifyRequest): boolean =>
  request.headers[BY_ITSELF_HEADER] !== undefined || queryParameters(request).has(PARAMETER);

/** The relative URL with which the page of this request loads again by itself. */
export function byItself({ url }: FastifyRequest): string {
  const parameters = new URLSearchParams(url.split('?', 2)[1]);
  parameters.set(PARAMETER, '1');
  return `?${parameters}`;
}
