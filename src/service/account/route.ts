/** `GET /v1/account`: who owns the account, and how many credits it has. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type AccessRule, keyOf } from '../access/access.ts';
import { findAccountById } from '../accounts/store.ts';
import type { Db } from '../database/schema.ts';
import { Refusal } from '../failures.ts';
import { MessageSchema } from '../verify/schema.ts';
import { documentAccount } from './documentation.ts';
import { AccountSchema } from './schema.ts';

/** A test key answers with the account's real figures, too. */
export const ACCOUNT_ACCESS: AccessRule = { endpoint: 'account', publicKeys: false, merge: () => ({}) };

export interface AccountRouteOptions {
  readonly db: Db;
}

/** Has to be added to a scope whose routes are guarded. */
export const accountRoute: FastifyPluginAsyncTypebox<AccountRouteOptions> = async (app, { db }) => {
  app.get(
    '/v1/account',
    {
      config: { access: ACCOUNT_ACCESS, swaggerTransform: documentAccount },
      schema: { response: { 200: AccountSchema, '4xx': MessageSchema, '5xx': MessageSchema } },
    },
    async function readAccount(request) {
      const key = keyOf(request);
      if (!key.account) throw new Refusal('no_account', 'noAccount');
      const account = await findAccountById(db, key.account.id);
      // The account was deleted since its key was looked up.
      if (!account) throw new Refusal('unknown_key');
      return { owner_email: account.owner_email, available_credits: account.available_credits };
    },
  );
};
