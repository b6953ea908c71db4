/** Describes an address, before any server is contacted. */
import { toAsciiDomain } from '../address/domain.ts';
import { type AddressParts, splitAddress } from '../address/parts.ts';
import { canBePublic } from '../address/public-name.ts';
import { isAddress } from '../address/syntax.ts';
import type { EngineFacts, Facts } from './facts.ts';
import { type PossibleName, possibleName } from './names.ts';
import { isNoReply } from './no-reply.ts';

export interface AboutAddress extends AddressParts {
  readonly address: string;
  /** In lower-case ASCII. Empty if the domain has no such form. */
  readonly asciiDomain: string;
  /** Whether the address has a valid form. */
  readonly isAddress: boolean;
  /** Whether public mail can reach a domain with this name. */
  readonly isReachable: boolean;
  /** Whether the operator has blocked the domain. */
  readonly isBlocked: boolean;
  readonly isDisposable: boolean;
  readonly isFree: boolean;
  readonly isRole: boolean;
  readonly isNoReply: boolean;
  readonly name: PossibleName;
  /** The suggested address, if the address looks mistyped. */
  readonly suggestion: string | null;
}

export function describeAddress(
  address: string,
  facts: Facts & Pick<EngineFacts, 'isBlocked'>,
): AboutAddress {
  const { local, user, tag, domain } = splitAddress(address);
  const asciiDomain = toAsciiDomain(domain) ?? '';
  const suggestion = facts.suggestAddress(address);
  const isRole = facts.isRole(user);
  return {
    address,
    local,
    user,
    tag,
    domain,
    asciiDomain,
    isAddress: isAddress(address),
    isReachable: canBePublic(asciiDomain),
    isBlocked: facts.isBlocked(asciiDomain),
    isDisposable: facts.isDisposable(asciiDomain),
    // The list contains some mistyped domains. They are not free providers.
    isFree: suggestion === null && facts.isFree(asciiDomain),
    isRole,
    isNoReply: isNoReply(user),
    name: possibleName(isRole ? '' : user),
    suggestion,
  };
}
