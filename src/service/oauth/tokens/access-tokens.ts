/** Access tokens as keys: each has the rights of a private live key of its account. */
import { digestOf } from '../../../shared/sha256.ts';
import type { Db } from '../../database/schema.ts';
import { accountOfKey } from '../../keys/account-of-key.ts';
import type { PrivateKey } from '../../keys/key.ts';
import { findTokenOwner } from './token-store.ts';

/**
 * Sends one query each time, so that revocation takes effect at once.
 *
 * @returns undefined for an access token that is unknown, expired or revoked
 */
export async function findAccessToken(db: Db, value: string): Promise<PrivateKey | undefined> {
  const owner = await findTokenOwner(db, digestOf(value));
  if (!owner) return undefined;
  return {
    kind: 'private',
    // The client id is not a secret. It identifies the app in the log.
    id: `app_${owner.client_id}`,
    mode: 'live',
    account: accountOfKey(owner),
    bearer: { kind: 'app', id: owner.client_id, name: owner.name },
    trustsIp: () => true,
  };
}
