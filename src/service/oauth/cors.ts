/**
 * CORS of the OAuth endpoints that public apps call from a browser: token, device code and revoke. Any origin may read
 * these responses, because they do not depend on cookies. Responses for apps with a secret are for servers only.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setUnreadable } from '../access/readable.ts';
import type { App } from './apps/store.ts';

/** Applies to every response, until an app with a secret is found. */
export function setReadable(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (request.headers.origin !== undefined) reply.header('Access-Control-Allow-Origin', '*');
  done();
}

export function hideFromPages(reply: FastifyReply, app: App): void {
  if (app.secret) setUnreadable(reply);
}

export function answerPreflight(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('Allow', 'POST, OPTIONS');
  if (request.headers.origin !== undefined) {
    reply.headers({
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
      'Access-Control-Max-Age': '600',
    });
  }
  return reply.code(204).send();
}
