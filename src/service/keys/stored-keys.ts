/** The keys of the database. Each has an account. */

import { sha256 } from '../../shared/sha256.ts';
import type { Db } from '../database/schema.ts';
import { accountOfKey } from './account-of-key.ts';
import { holdBriefly } from './cached-lookups.ts';
import type { Key, KeyRing } from './key.ts';
import { anyKeyTrustsHost, findByDigest, type KeyOfRequest } from './key-store.ts';
import { domainsOfOrigin, trustDomains } from './trusted-domains.ts';
import { trustIps } from './trusted-ips.ts';

/** A new, rolled or revoked key must take effect within a second in every process. */
const HOLD_MS = 800;

/**
 * Sends at most one query for a key, and no query while the key is cached. The cache has the digest, not the key.
 *
 * @param now as `holdBriefly` takes it
 */
export function createStoredKeys(db: Db, now?: () => number): Omit<KeyRing, 'findAccessToken'> {
  const keys = holdBriefly(
    async (digest) => {
      const row = await findByDigest(db, Buffer.from(digest, 'hex'));
      return row && toKey(row);
    },
    HOLD_MS,
    now,
  );
  const trusted = holdBriefly((domains) => anyKeyTrustsHost(db, domains.split(' ')), HOLD_MS, now);
  return {
    find: (value) => keys(sha256(value)),
    anyTrustsOrigin(origin) {
      const domains = domainsOfOrigin(origin);
      return domains.length > 0 && trusted(domains.join(' '));
    },
  };
}

function toKey({ key, last4, account }: KeyOfRequest): Key {
  const any = {
    id: key.id,
    mode: key.mode,
    account: accountOfKey(account),
    bearer: { kind: 'key', id: key.id, name: key.name ?? `Key that ends in ${last4}` } as const,
  };
  if (key.kind === 'private') {
    const trustsIp = key.trusted_ips.length > 0 ? trustIps(key.trusted_ips) : () => true;
    return { ...any, kind: 'private', trustsIp };
  }
  const captcha = key.captcha_provider
    ? {
        provider: key.captcha_provider,
        secret: key.captcha_secret!,
        ...(key.siteverify_url === null ? {} : { siteverifyUrl: key.siteverify_url }),
      }
    : undefined;
  const dailyCredits = key.daily_credits ?? undefined;
  return { ...any, kind: 'public', trustsOrigin: trustDomains(key.trusted_domains), captcha, dailyCredits };
}
