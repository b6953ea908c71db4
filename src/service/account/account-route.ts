/** `GET /v1/account`: who owns the account, and how many credits it has. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { keyOf } from '../access/access.ts';
import { Refusal } from '../core/failures.ts';
import type { Deps } from '../deps/deps.ts';
import { findAccountById } from '../people/accounts/account-store.ts';
import { MessageSchema } from '../verify/verify-schema.ts';
import { documentAccount } from './account-documentation.ts';
import { ACCOUNT_ACCESS, AccountSchema } from './account-schema.ts';

export interface AccountRouteOptions {
  readonly deps: Pick<Deps, 'db'>;
}

/** Must be registered in a scope with guarded routes. */
export const accountRoute: FastifyPluginAsyncTypebox<AccountRouteOptions> = async (app, { deps }) => {
  app.get(
    '/v1/account',
    {
      config: { access: { ...ACCOUNT_ACCESS, needsAccount: true }, swaggerTransform: documentAccount },
      schema: { response: { 200: AccountSchema, '4xx': MessageSchema, '5xx': MessageSchema } },
    },
    async function account(request) {
      const key = keyOf(request);
      const found = await findAccountById(deps.db, key.account!.id);
      // The account was deleted since its key was looked up.
      if (!found) throw new Refusal('unknown_key');
      return { owner_email: found.owner_email, available_credits: found.available_credits };
    },
  );
};
