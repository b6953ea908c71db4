/** The keys a service knows, what each may do, and for whom. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../crypto/sha256.ts';
import type { CaptchaEntry } from '../captcha/providers.ts';
import type { KeyEntry } from '../config.ts';
import { trustDomains } from './trusted-domains.ts';
import { trustIps } from './trusted-ips.ts';

/** May be seen by anyone, so it works on trusted pages only, and for verification only. */
export interface PublicKey {
  readonly kind: 'public';
  /** Its place in the config, such as `keys[2]`. The service counts and logs by it. */
  readonly id: string;
  readonly mode: 'test' | 'live';
  readonly trustsOrigin: (origin: string) => boolean;
  readonly captcha: CaptchaEntry | undefined;
}

/** Stays on a server; works from everywhere unless it has a list of IP addresses. */
export interface PrivateKey {
  readonly kind: 'private';
  readonly id: string;
  readonly mode: 'test' | 'live';
  readonly trustsIp: (ip: string) => boolean;
}

export type Key = PublicKey | PrivateKey;

export interface KeyRing {
  find(credential: string): Key | undefined;
  /** Whether a page of this origin may use any key at all. */
  anyTrustsOrigin(origin: string): boolean;
}

/** Keeps of each key only a digest: what a dump of this process's memory holds is of no use to anybody. */
export function createKeyRing(entries: readonly KeyEntry[]): KeyRing {
  // A salt of this process alone: its digests cannot be looked up anywhere, nor be prepared for.
  const salt = randomBytes(32).toString('hex');
  // No HMAC, which takes longer: nobody is ever shown a digest that could be gone on from.
  const digest = (credential: string) => Buffer.from(sha256(salt + credential));
  const keys = entries.map((entry, index) => ({ digest: digest(entry.key), key: toKey(entry, index) }));
  const publicKeys = keys.map(({ key }) => key).filter((key) => key.kind === 'public');
  return {
    find(credential) {
      const wanted = digest(credential);
      let found: Key | undefined;
      // Every digest is compared, and every byte of it: how long it takes tells nothing about the keys there are.
      for (const { digest, key } of keys) if (timingSafeEqual(digest, wanted)) found = key;
      return found;
    },
    anyTrustsOrigin: (origin) => publicKeys.some((key) => key.trustsOrigin(origin)),
  };
}

function toKey(entry: KeyEntry, index: number): Key {
  const id = `keys[${index}]`;
  const mode = entry.key.startsWith('test_') ? 'test' : 'live';
  if (entry.kind === 'private') {
    return {
      kind: 'private',
      id,
      mode,
      trustsIp: entry.trustedIps ? trustIps(entry.trustedIps) : () => true,
    };
  }
  const trustsOrigin = trustDomains(entry.trustedDomains ?? []);
  return { kind: 'public', id, mode, trustsOrigin, captcha: entry.captcha };
}
