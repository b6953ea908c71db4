/** The name of a list. It comes from outside and is shown within other text. */

const MOST_CHARACTERS = 200;
/**
 * Control characters, line breaks, invisible characters, and those that change the text direction. Joiners are not
 * included, because words need them.
 */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFFD]/gu;

const HALF_AT_END = /[\uD800-\uDBFF]$/;

/** @returns `otherwise` if no visible character is left */
export function cleanName(text: string, otherwise: string): string {
  const seen = text.normalize('NFC').replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
  // Does not cut a character in half.
  const short = seen.slice(0, MOST_CHARACTERS).replace(HALF_AT_END, '').trim();
  return short || otherwise;
}

/**
 * The name of a file without its folders. Some browsers send them too. They send a quotation mark as `%22` (HTML,
 * multipart/form-data encoding algorithm).
 */
export const nameOfFile = (fileName: string): string =>
  cleanName(fileName.replace(/^.*[\\/]/s, '').replaceAll('%22', '"'), 'List');

export const NAME_OF_PASTED = 'Pasted list';
