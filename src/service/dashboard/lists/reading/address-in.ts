/** Finds the address in a cell. */
import { isAddress } from '../../../../engine/address/syntax.ts';

const NAMED = /^[^<>]*<([^<>]*)>$/;

/** A link that was copied: RFC 6068, section 2. What stands behind the address are headers. */
const LINK = /^mailto:([^?]*)/i;

/** What a cell gives as an address: `Ada <ada@example.com>` gives `ada@example.com`. It may be no address. */
export function addressIn(cell: string): string {
  const text = cell.trim();
  const address = NAMED.exec(text)?.[1]?.trim() ?? text;
  return LINK.exec(address)?.[1] ?? address;
}

/** Whether a cell gives an address by its form. The engine calls everything else `invalid_email`. */
export const hasAddress = (cell: string): boolean => cell.includes('@') && isAddress(addressIn(cell));
