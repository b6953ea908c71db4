/** How a table is written as text. */
export interface CsvStyle {
  readonly separator: string;
  readonly lineEnd: string;
  /** Which cells have quotes: those that need them, all, or texts and no numbers. */
  readonly quotes: 'needed' | 'all' | 'texts';
  /** Whether empty cells have quotes. */
  readonly quotesEmpty: boolean;
}

export const RFC_4180: CsvStyle = { separator: ',', lineEnd: '\r\n', quotes: 'needed', quotesEmpty: false };

/** A number, which is bare where only texts have quotes. */
export const BARE = /^[+-]?\d+([.,]\d+)*$/;
