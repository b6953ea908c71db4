/** Finds the address in a cell. */
import { isAddress } from '../../../../engine/address/syntax.ts';

const NAMED = /^[^<>]*<([^<>]*)>$/;

/** What a cell gives as an address: `Ada <ada@example.com>` gives `ada@example.com`. It may be no address. */
export function addressIn(cell: string): string {
  const text = cell.trim();
  return NAMED.exec(text)?.[1]?.trim() ?? text;
}

/** Whether a cell gives an address by its form. The engine calls everything else `invalid_email`. */
export const hasAddress = (cell: string): boolean => cell.includes('@') && isAddress(addressIn(cell));
