/** `/.well-known/jwks.json`: the public keys, with which anybody can check a proof. */
import type { FastifyPluginAsync } from 'fastify';
import { JWKS_PATH } from '../../protocol/proof.ts';
import { KEYS_MAX_AGE_S, type ProofKeys } from './proof-keys.ts';

export const jwksRoute: FastifyPluginAsync<{ readonly keys: ProofKeys }> = async (app, { keys }) => {
  app.get(JWKS_PATH, async (_request, reply) => {
    reply.header('Access-Control-Allow-Origin', '*');
    const { published } = await keys.current();
    // Only now, because nobody may keep a failure.
    reply.header('Cache-Control', `public, max-age=${KEYS_MAX_AGE_S}`);
    return { keys: published };
  });
};
