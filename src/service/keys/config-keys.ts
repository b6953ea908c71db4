/** The keys of the config. They belong to no account. */
import { randomBytes } from 'node:crypto';
import { sha256 } from '../../shared/sha256.ts';
import type { KeyEntry } from '../config/sections/keys-section.ts';
import type { Key, KeyRing } from './key.ts';
import { trustDomains } from './trusted-domains.ts';
import { trustIps } from './trusted-ips.ts';

/** Finds keys without waiting, since they are all in memory. */
export interface ConfigKeys extends KeyRing {
  find(value: string): Key | undefined;
  anyTrustsOrigin(origin: string): boolean;
}

/** Keeps only a digest of each key, so a memory dump of this process contains no key. */
export function createConfigKeys(entries: readonly KeyEntry[]): ConfigKeys {
  // The salt exists only in this process, so attackers cannot prepare values whose digests are near a key's.
  const salt = randomBytes(32).toString('hex');
  // Plain SHA-256, which is faster than HMAC. Digests never leave the process, so length extension does not apply.
  const keys = new Map(entries.map((entry) => [sha256(salt + entry.key), toKey(entry)]));
  const publicKeys = [...keys.values()].filter((key) => key.kind === 'public');
  return {
    // Without keys, no digest is needed. A service with a database often has none in its config.
    find: (value) => (keys.size === 0 ? undefined : keys.get(sha256(salt + value))),
    // Access tokens belong to accounts, and config keys have no account.
    findAccessToken: () => undefined,
    anyTrustsOrigin: (origin) => publicKeys.some((key) => key.trustsOrigin(origin)),
  };
}

function toKey(entry: KeyEntry): Key {
  const mode = entry.key.startsWith('test_') ? 'test' : 'live';
  const any = { id: idOf(entry.key), mode, account: undefined } as const;
  if (entry.kind === 'private') {
    const trustsIp = entry.trustedIps ? trustIps(entry.trustedIps) : () => true;
    return { ...any, kind: 'private', trustsIp };
  }
  const trustsOrigin = trustDomains(entry.trustedDomains ?? []);
  return { ...any, kind: 'public', trustsOrigin, captcha: entry.captcha };
}

/** The same at every start, regardless of the key's place in the config. Its 32 bits do not reveal the key. */
export const idOf = (value: string): string => `config_${sha256(`id of ${value}`).slice(0, 8)}`;
