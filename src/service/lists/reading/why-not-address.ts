/** Says why a cell is not an address. */
import { toAsciiDomain } from '../../../engine/address/domain.ts';
import { splitAddress } from '../../../engine/address/parts.ts';
import { addressIn } from './address-in.ts';
import { addressesIn } from './several-addresses.ts';

/** Each is the rest of a sentence that begins with the cell. */
export type WhyNot =
  | 'has no @'
  | 'has several addresses'
  | 'has more than one @'
  | 'has a space'
  | 'has nothing before the @'
  | 'has nothing after the @'
  | 'is longer than an address may be'
  | 'has a character that no address has'
  | 'has a domain that cannot exist'
  | 'has two dots in a row, or a dot at the wrong place';

const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL = 64;

/** @param cell is not empty, and is not an address */
export function whyNotAddress(cell: string): WhyNot {
  const address = addressIn(cell);
  if (!address.includes('@')) return 'has no @';
  if (addressesIn(cell).length > 0) return 'has several addresses';
  if (address.length > LONGEST_ADDRESS) return 'is longer than an address may be';
  const { local, domain } = splitAddress(address);
  if (local === '') return 'has nothing before the @';
  if (domain === '') return 'has nothing after the @';
  if (local.includes('@') && !local.startsWith('"')) return 'has more than one @';
  if (/\s/.test(address)) return 'has a space';
  if (local.length > LONGEST_LOCAL) return 'is longer than an address may be';
  if (/^\.|\.\.|\.$/.test(local) || /^\.|\.\./.test(domain))
    return 'has two dots in a row, or a dot at the wrong place';
  if (toAsciiDomain(domain) === undefined) return 'has a domain that cannot exist';
  return 'has a character that no address has';
}
