/** Answers `OPTIONS`. The widget needs no preflight; a page's own code with a header or JSON does. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../failures.ts';
import type { KeyRing } from '../keys/key.ts';
import { refusalOf } from './admission.ts';

/** Which key will be used is not known yet, so any that trusts the origin will do: the answer itself decides. */
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
