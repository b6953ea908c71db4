/** The name of a column in a spreadsheet: A for the first one, AA after Z. @param column from 0 */
export function columnLetters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last;
}

/** @param letters capital ones @returns the column, from 0 */
export const columnNumber = (letters: string): number =>
  [...letters].reduce((number, letter) => 26 * number + letter.charCodeAt(0) - 64, 0) - 1;
