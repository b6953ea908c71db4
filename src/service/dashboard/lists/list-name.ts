/** What a list is called. The name comes from outside, and is shown between other texts. */

const MOST_CHARACTERS = 200;
/** Control characters, line breaks, and what shows nothing or turns the text around it. Joiners are part of words. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u206F\uFEFF\uFFFD]/gu;

/** @returns `otherwise` if nothing is left that can be seen */
export function cleanName(text: string, otherwise: string): string {
  const seen = text.normalize('NFC').replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
  // Not in the middle of a character.
  const short = seen
    .slice(0, MOST_CHARACTERS)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
  return short || otherwise;
}

/** The name of a file without its folders. Some browsers send those as well. */
export const nameOfFile = (fileName: string): string => cleanName(fileName.replace(/^.*[\\/]/s, ''), 'List');

export const NAME_OF_PASTED = 'Pasted list';
