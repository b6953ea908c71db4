/** The schema of `/v1/account` (interface, section 2.3). */
import { Type } from '@sinclair/typebox';
import type { AccessRule } from '../access/access.ts';

export const AccountSchema = Type.Object(
  {
    owner_email: Type.String({ description: "The email address of the account's owner." }),
    available_credits: Type.Integer({ description: 'How many credits are left.' }),
  },
  { title: 'Account' },
);

/** A test key also gets the account's real figures. */
export const ACCOUNT_ACCESS: AccessRule = { endpoint: 'account', publicKeys: false, merge: () => ({}) };
