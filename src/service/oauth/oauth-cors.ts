/**
 * CORS of the OAuth endpoints that public apps call from a browser: token, device code and revoke. Any origin may read
 * these responses, because they do not depend on cookies. Responses for apps with a secret are for servers only.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { setUnreadable } from '../access/cors.ts';
import type { App } from './apps/app-store.ts';

/** The endpoints that pages may use. */
export const PAGE_ENDPOINTS = ['/oauth/token', '/oauth/device/code', '/oauth/revoke'] as const;
const METHODS = ['POST', 'OPTIONS'];

/**
 * Applies to every response of these endpoints, until an app with a secret is found. Add it before whatever refuses
 * requests, so that pages can also read a 503.
 */
export function letPagesRead(app: FastifyInstance): void {
  const urls = new Set<string>(PAGE_ENDPOINTS);
  app.addHook('onRequest', (request, reply, done) => {
    const { url = '', method = '', headers } = request.raw;
    const isOurs = METHODS.includes(method) && urls.has(url.replace(/\?.*$/s, ''));
    if (isOurs && headers.origin !== undefined) reply.header('Access-Control-Allow-Origin', '*');
    done();
  });
}

export function hideFromPages(reply: FastifyReply, app: App): void {
  if (app.secret) setUnreadable(reply);
}

export function answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('Allow', METHODS.join(', '));
  if (request.headers.origin !== undefined) {
    reply.headers({
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
      'Access-Control-Max-Age': '600',
    });
  }
  return reply.code(204).send();
}
