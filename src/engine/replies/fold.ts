/** One spelling for words that servers write in several ways. */

/** Letters that Unicode does not split into a letter and a mark. */
const PLAIN: ReadonlyMap<string, string> = new Map([
  ['ł', 'l'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ß', 'ss'],
  ['ı', 'i'],
  ['æ', 'ae'],
  ['œ', 'oe'],
]);

/** Real replies are shorter. The limit keeps hostile ones from taking time. */
export const MOST_CHARACTERS = 4096;

/** The text in lower case, with full-width letters as ordinary ones, and without accents or apostrophes. */
export function foldText(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replace(/[\u0300-\u036f'`\u00b4\u2018\u2019]/g, '')
      // Recomposes other scripts: Hangul, and the sound marks of Kana.
      .normalize('NFC')
      .toLowerCase()
      .replace(/[łøđßıæœ]/g, (letter) => String(PLAIN.get(letter)))
      // One character can become eighteen.
      .slice(0, MOST_CHARACTERS)
  );
}

/** Words that servers write as one or as two. */
const JOINED: readonly (readonly [RegExp, string])[] = [
  [/ e mail/g, ' email'],
  [/ mail box/g, ' mailbox'],
  [/ in box/g, ' inbox'],
  [/ (black|block|deny|gr[ea]y|white) list/g, ' $1list'],
  [/ over quota/g, ' overquota'],
  [/ user name /g, ' username '],
  [/ user id /g, ' userid '],
  [/ (non|in) exist/g, ' nonexist'],
  [/ inexist/g, ' nonexist'],
  [/ can not /g, ' cannot '],
  [/ time ?d? out /g, ' timeout '],
  [/ (?:unkown|unknow|unkonwn) /g, ' unknown '],
  // An abbreviation, not the end of a sentence.
  [/ destin \| /g, ' destin '],
];

/**
 * The text as words: folded, one space around each, without punctuation, and with `|` at the end of each sentence.
 * Numbers with dots are removed: servers repeat codes at the start of each line, in the middle of a phrase.
 */
export function toWords(text: string): string {
  const words = foldText(text)
    .replace(/(?<![\d.])\d+(?:\.\d+)+/g, ' ')
    .replace(/\.{2,}/g, ' ')
    .replace(/[|]/g, ' ')
    .replace(/[.!?;\u3002\uff01\uff1f\uff1b](?![^\s"')\]>])/g, ' | ')
    .replace(/[^\p{L}\p{N}|]+/gu, ' ');
  return JOINED.reduce((joined, [pattern, whole]) => joined.replace(pattern, whole), ` ${words.trim()} `);
}
