/** Which rows of an uploaded list a file has. */

/** `once`: of rows with the same address, the first one. `no address`: those that are not in the batch. */
export type RowChoice = 'all' | 'once' | 'duplicates' | 'no address';

/** Whether a cell has an address of the batch, and whether an earlier cell has the same. */
export interface RowAddress {
  readonly hasAddress: boolean;
  readonly isDuplicate: boolean;
}

/** @param addresses those of the row, one for each column of addresses. One that is wanted is enough */
export function isWanted(choice: RowChoice, addresses: readonly RowAddress[]): boolean {
  switch (choice) {
    case 'all':
      return true;
    case 'once':
      return addresses.some(({ hasAddress, isDuplicate }) => hasAddress && !isDuplicate);
    case 'duplicates':
      return addresses.some(({ isDuplicate }) => isDuplicate);
    case 'no address':
      return !addresses.some(({ hasAddress }) => hasAddress);
  }
}
