/** Which rows of an uploaded list a file has. */

/** `once`: of rows with the same address, the first one. `no address`: those that are not in the batch. */
export type RowChoice = 'all' | 'once' | 'duplicates' | 'no address';

/** @param row whether it has an address of the batch, and whether an earlier row has the same */
export function isWanted(
  choice: RowChoice,
  { hasAddress, isDuplicate }: { readonly hasAddress: boolean; readonly isDuplicate: boolean },
): boolean {
  switch (choice) {
    case 'all':
      return true;
    case 'once':
      return hasAddress && !isDuplicate;
    case 'duplicates':
      return isDuplicate;
    case 'no address':
      return !hasAddress;
  }
}
