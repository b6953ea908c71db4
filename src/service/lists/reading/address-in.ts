/** Finds the address in a cell. */
import { isAddress } from '../../../engine/address/syntax.ts';

const NAMED = /^[^<>]*<([^<>]*)>$/;

/** A copied link (RFC 6068, section 2). The part after the address has headers. */
const LINK = /^mailto:([^?]*)/i;

/** The address in a cell: `Ada <ada@example.com>` gives `ada@example.com`. The result may be malformed. */
export function addressIn(cell: string): string {
  const text = cell.trim();
  const address = NAMED.exec(text)?.[1]?.trim() ?? text;
  return LINK.exec(address)?.[1] ?? address;
}

/** Whether a cell has a well-formed address. The engine calls everything else `invalid_email`. */
export const hasAddress = (cell: string): boolean => cell.includes('@') && isAddress(addressIn(cell));
