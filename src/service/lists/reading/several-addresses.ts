/** Finds the addresses in a cell that has several: `a@x.example; b@x.example`, or one on each line. */
import { addressIn, hasAddress } from './address-in.ts';

/**
 * What people write between addresses. Some of these signs may also be in an address. More white space stays with the
 * addresses, which are trimmed: to look for it here would take the square of its length.
 */
const BETWEEN = /[;,|\r\n\t]+|\s(?:\/|&|and|und|et|y|e|or|oder|ou|o)\s/i;
/** The last resort: addresses with nothing but a space or a slash between them. */
const CLOSE = /[\s/]+/;
/** Longer cells are texts, and not lists of addresses. */
const LONGEST = 2_000;

/** @returns all addresses of the cell in their order, or none unless it has at least two and nothing else */
export function addressesIn(cell: string): readonly string[] {
  if (cell.length > LONGEST || cell.indexOf('@') === cell.lastIndexOf('@') || hasAddress(cell)) return [];
  for (const separator of [BETWEEN, CLOSE]) {
    const parts = cell.split(separator).filter((part) => part.trim() !== '');
    if (parts.length > 1 && parts.every(hasAddress)) return parts.map(addressIn);
  }
  return [];
}
