/** Decides whether a credential may be used for this request: the 403 of unknown keys, origins and IP addresses. */
import { Failure } from '../failures.ts';
import type { Key } from './key-ring.ts';

/** Where a request comes from. */
export interface Sender {
  readonly origin: string | undefined;
  readonly ip: string;
}

/**
 * @param key `undefined` when nobody knows the credential
 * @returns the key
 * @throws {Failure} with the same words whatever the cause
 */
export function admit(key: Key | undefined, sender: Sender): Key {
  if (!key || !isTrusted(key, sender)) throw new Failure('refused');
  return key;
}

function isTrusted(key: Key, { origin, ip }: Sender): boolean {
  if (key.kind === 'private') return key.trustsIp(ip);
  return origin !== undefined && key.trustsOrigin(origin);
}
