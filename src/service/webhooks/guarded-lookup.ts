/**
 * Looks up host names for connections that may not go to every IP address. Unlike the system's own lookup, it uses
 * no thread of the process, so name servers that do not answer do not delay other work.
 */
import { Resolver } from 'node:dns/promises';
import { isIPv6, type LookupFunction } from 'node:net';
import { RefusedAddressError } from './explain-webhook.ts';

const TIMEOUT_MS = 3_000;
const TRIES = 2;
/** The host has no address of a family, or does not exist. */
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA']);

/** Finds the IP addresses of one family. */
export interface AddressResolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
}

/**
 * For the option `lookup` of a request, so the IP addresses are those that it connects to.
 *
 * @param isCallable the lookup fails if any IP address of the name is not
 */
export function createGuardedLookup(
  isCallable: (ip: string) => boolean,
  resolver: AddressResolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES }),
): LookupFunction {
  return (name, options, callback) => {
    lookUp(resolver, name, isCallable).then(
      (addresses) => {
        if (options.all) callback(null, addresses);
        else callback(null, addresses[0]!.address, addresses[0]!.family);
      },
      (error) => callback(error, ''),
    );
  };
}

async function lookUp(resolver: AddressResolver, name: string, isCallable: (ip: string) => boolean) {
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const ips = found.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  if (ips.length === 0) {
    const isMissing = found.every(
      (family) => family.status === 'rejected' && NOT_THERE.has(family.reason.code),
    );
    throw Object.assign(new Error('look-up failed'), { code: isMissing ? 'ENOTFOUND' : 'EAI_AGAIN' });
  }
  if (!ips.every(isCallable)) throw new RefusedAddressError('refused IP address');
  return ips.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
}
