/** Finds out who runs the mail servers of an address, without contacting them. */
import { findMailHosts } from './dns/mail-hosts.ts';
import { describeAddress } from './facts/about.ts';
import { organisationOf } from './providers.ts';
import { within } from './signal.ts';
import type { VerifyParts } from './verify.ts';

/** How long the DNS may take. */
const LONGEST_MS = 8_000;

/** @returns the organisation, or `undefined` if the address has no mail servers or the DNS fails */
export type FindOrganisation = (address: string) => Promise<string | undefined>;

/** A verification shortly afterwards finds these lookups in the cache. */
export function createFindOrganisation(
  parts: Pick<VerifyParts, 'facts' | 'resolver' | 'allowPrivateAddresses' | 'random' | 'closing'>,
): FindOrganisation {
  return async (address) => {
    const { asciiDomain } = describeAddress(address, parts.facts);
    if (asciiDomain === '') return undefined;
    // Without IPv6, because the organisation depends only on the name.
    const route = await within(LONGEST_MS, parts.closing, (signal) =>
      findMailHosts(asciiDomain, { ...parts, useIpv6: false }, signal),
    );
    return route.kind === 'hosts' ? organisationOf(route.hosts[0]!.name).id : undefined;
  };
}
