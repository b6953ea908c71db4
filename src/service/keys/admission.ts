/** Decides whether a credential may be used for this request: the 403 of unknown keys, origins and IP addresses. */
import { Failure } from '../failures.ts';
import type { Credential } from './credential.ts';
import type { Key, KeyRing } from './key-ring.ts';

/** Where a request comes from. */
export interface Sender {
  readonly origin: string | undefined;
  readonly ip: string;
}

/**
 * @returns the key
 * @throws {Failure} with the same words whatever the cause
 */
export function admit(ring: KeyRing, credential: Credential, sender: Sender): Key {
  // There are no access tokens before there is OAuth: none is known.
  const key = credential.isAccessToken ? undefined : ring.find(credential.value);
  if (!key || !isTrusted(key, sender)) throw new Failure('refused');
  return key;
}

function isTrusted(key: Key, { origin, ip }: Sender): boolean {
  if (key.kind === 'private') return key.trustsIp(ip);
  return origin !== undefined && key.trustsOrigin(origin);
}
