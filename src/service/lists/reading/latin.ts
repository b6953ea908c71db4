/**
 * Tells the Latin encodings of Windows apart. They differ in a few letters, and short lists of names have few of those.
 * Detectors that count letter pairs then guess by the surrounding ASCII text. This code checks which language's letters
 * they are.
 */
import iconv from 'iconv-lite';

/**
 * Left out: õ, which is ő in Hungarian, and Icelandic, whose ð, þ and ý are Turkish letters. Both have enough others.
 * The usual encoding comes first. ISO-8859-1 is read as windows-1252, as browsers do (Encoding Standard, section 4.2).
 */
const LETTERS = {
  'windows-1252': [
    ...['äöüß', 'àâæçéèêëîïôœùûüÿ', 'áéíóúüñçàèï', 'áâãàçéêíóôúü', 'àèéìíîòóùú', 'áéëïíóöúü', 'åäöé'],
    ...['æøåéäö', 'šžäöü'],
  ],
  'windows-1250': ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'ăâîşţ', 'čćđšž'],
  'windows-1254': ['çğıöşüâîû'],
  'windows-1257': ['ąčęėįšųūž', 'āčēģīķļņšūž'],
} as const;

export type Latin = keyof typeof LETTERS;
const NAMES = Object.keys(LETTERS) as Latin[];
export const USUAL = NAMES[0]!;

/** Another encoding must explain nearly all letters, and clearly more of them than the usual one. */
const NEARLY_ALL = 0.9;
const CLEARLY = 0.1;

const letterOf = (text: string) =>
  /\p{L}/u.test(text) ? text.toLocaleLowerCase('und').replace('i̇', 'i') : '';

/** The letter of each byte from 0x80, for each encoding. Signs have an empty text. */
const TABLES = NAMES.map((name) => ({
  name,
  table: Array.from({ length: 128 }, (_, index) => letterOf(iconv.decode(Buffer.from([128 + index]), name))),
}));

/** @param sample in one of these encodings */
export function latinOf(sample: Buffer): Latin {
  const counts = new Array<number>(128).fill(0);
  for (const byte of sample) if (byte >= 128) counts[byte - 128]! += 1;
  // A byte that is a sign in every encoding does not help.
  const telling = counts.map((count, index) => (TABLES.some(({ table }) => table[index]) ? count : 0));
  const all = telling.reduce((sum, count) => sum + count, 0);
  const shares = TABLES.map(({ name, table }) => {
    const known = (letters: string) =>
      telling.reduce((sum, count, index) => (letters.includes(table[index] || ' ') ? sum + count : sum), 0);
    // İ is i in lower case, which no other encoding writes beyond ASCII.
    return { name, share: Math.max(...LETTERS[name].map((letters) => known(`${letters}i`))) / all };
  });
  const [usual, ...others] = shares as [(typeof shares)[number], ...typeof shares];
  const best = others.reduce((a, b) => (b.share > a.share ? b : a));
  // One letter alone does not decide.
  if (telling.filter((count) => count > 0).length < 2) return USUAL;
  return best.share >= NEARLY_ALL && best.share - usual.share > CLEARLY ? best.name : USUAL;
}
