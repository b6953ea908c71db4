/** Which rows of an uploaded list a file has, and which of their addresses. */

/** `once`: of rows with the same address, the first one. `no address`: those that are not in the batch. */
export type RowChoice = 'all' | 'once' | 'duplicates' | 'no address';

/** A cell of a column of addresses. */
export interface RowAddress {
  /** Whether it has an address of the batch. */
  readonly hasAddress: boolean;
  /** Whether an earlier cell has the same. */
  readonly isDuplicate: boolean;
  /** Whether it is the cell of the line before, because another cell of the row was split. */
  readonly isRepeated: boolean;
  /** Whether its result matches the filter. */
  readonly isMatch: boolean;
}

/** Whether a file for some addresses is for this one. Each address is in one of `once`, and its duplicates are not. */
export function isMeant(
  choice: 'once' | 'duplicates',
  { hasAddress, isDuplicate, isRepeated, isMatch }: RowAddress,
): boolean {
  if (!hasAddress || !isMatch) return false;
  return choice === 'once' ? !isDuplicate : isDuplicate && !isRepeated;
}

/** @param addresses those of the row, one for each column of addresses. One that is meant is enough */
export function isWanted(choice: RowChoice, addresses: readonly RowAddress[]): boolean {
  if (choice === 'all') return true;
  if (choice === 'no address') return !addresses.some(({ hasAddress }) => hasAddress);
  return addresses.some((address) => isMeant(choice, address));
}
