/** The keys a service knows, what each may do, and for whom. */
import { createHash } from 'node:crypto';
import type { CaptchaEntry } from '../captcha/providers.ts';
import type { KeyEntry } from '../config.ts';
import { trustDomains } from './trusted-domains.ts';
import { trustIps } from './trusted-ips.ts';

/** May be seen by anyone, so it works on trusted pages only, and for verification only. */
export interface PublicKey {
  readonly kind: 'public';
  readonly id: string;
  readonly mode: 'test' | 'live';
  readonly trustedDomains: readonly string[];
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

export function createKeyRing(entries: readonly KeyEntry[]): KeyRing {
  const keys = new Map(entries.map((entry) => [digest(entry.key), toKey(entry)]));
  const publicKeys = [...keys.values()].filter((key) => key.kind === 'public');
  return {
    find: (credential) => keys.get(digest(credential)),
    anyTrustsOrigin: (origin) => publicKeys.some((key) => key.trustsOrigin(origin)),
  };
}

function toKey(entry: KeyEntry): Key {
  const id = digest(entry.key).slice(0, 16);
  const mode = entry.key.startsWith('test_') ? 'test' : 'live';
  if (entry.kind === 'private') {
    return {
      kind: 'private',
      id,
      mode,
      trustsIp: entry.trustedIps ? trustIps(entry.trustedIps) : () => true,
    };
  }
  const trustedDomains = entry.trustedDomains ?? [];
  const trustsOrigin = trustDomains(trustedDomains);
  return { kind: 'public', id, mode, trustedDomains, trustsOrigin, captcha: entry.captcha };
}

/** Keys are looked up by digest: how long the look-up takes tells nothing about the keys there are. */
function digest(credential: string): string {
  return createHash('sha256').update(credential).digest('hex');
}
