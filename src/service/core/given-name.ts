/** The rules for the names of keys and apps. Other people read the names of apps before they allow them. */

/** The name of this service on its pages. */
export const SERVICE_NAME = 'Email verification';

const MOST_LETTERS = 200;

/** Characters that databases and terminals cannot handle. */
const CONTROL = /\p{Cc}/u;
/**
 * Characters that nobody sees, and that turn or join the text around them. An emoji needs one of two variation selectors
 * after it. A digit, # and * count as emoji.
 */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|(?!(?<=\p{Emoji})[\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}/u;

/**
 * Letters of other alphabets, many of which look like Latin ones. Only the scripts of East Asia are mixed with Latin in a
 * word, but to look like somebody else (UTS #39, section 5.2, "highly restrictive").
 */
const LOOKALIKE =
  /(?![\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}])\p{L}/u;
const LATIN = /\p{Script=Latin}/u;

export type Named = 'key' | 'app';

/** @param name without spaces around it @returns what is wrong, as the end of "Expected a name …", or undefined */
export function whyNotGivenName(name: string, named: Named): string | undefined {
  if (name.length > MOST_LETTERS) return `of at most ${MOST_LETTERS} characters, got ${name.length}`;
  if (CONTROL.test(name)) return 'without control characters';
  const unseen = UNSEEN.exec(name)?.[0].codePointAt(0);
  if (unseen !== undefined) {
    const code = unseen.toString(16).toUpperCase().padStart(4, '0');
    return `without characters that nobody sees, got U+${code}`;
  }
  const mixed =
    named === 'app' && name.match(/\p{L}+/gu)?.find((word) => LATIN.test(word) && LOOKALIKE.test(word));
  if (mixed) return `without words that mix alphabets, got "${mixed}"`;
  return isOurs(name, named) ? `other than that of this service, got one with "${SERVICE_NAME}"` : undefined;
}

/** Only its owner reads the name of a key, which may well say that it is for email verification. */
function isOurs(name: string, named: Named): boolean {
  const [folded, own] = [fold(name), fold(SERVICE_NAME)];
  return named === 'app' ? folded.includes(own) : folded === own;
}

/** Its letters and digits, without case, accents and width. What looks like a small A, L or O is one. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    // Among others the I without its dot, the iota and the click of phonetics, which are Latin letters, too.
    .replace(/[1i|ıɩǀ]/g, 'l')
    .replaceAll('ɑ', 'a')
    .replaceAll('0', 'o')
    .replace(/[^\p{L}\p{N}]/gu, '');
