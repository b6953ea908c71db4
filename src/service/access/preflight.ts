/** Answers `OPTIONS`. The widget sends no preflight. A page's own code does if it sends a header or JSON. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../core/failures.ts';
import type { KeyRing } from '../keys/key.ts';
import { refusalOf } from './key-admission.ts';

/** A preflight does not contain the key, so every origin that any key trusts passes. The request itself is checked later. */
export function answerPreflight(ring: KeyRing, methods: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { origin } = request.headers;
    reply.header('Allow', methods);
    if (origin !== undefined) {
      if (!(await ring.anyTrustsOrigin(origin))) throw new Refusal(refusalOf(origin));
      reply.header('Access-Control-Allow-Origin', origin);
      reply.header('Access-Control-Allow-Methods', methods);
      reply.header('Access-Control-Allow-Headers', 'Authorization, Content-Type');
      reply.header('Access-Control-Max-Age', '600');
    }
    return reply.code(204).send();
  };
}
