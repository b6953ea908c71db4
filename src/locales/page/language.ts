/** Which texts belong to a language tag. Pure. */

/** Traditional Chinese is written otherwise: its readers are better off with English than with the other script. */
const OTHER_SCRIPT = /^zh-(?!hans\b)(.*-)?(hant|tw|hk|mo)\b/;

/**
 * Finds what is kept for the language of a tag, by its first subtag: `de-AT` is `de`, and so is the `de_AT` that
 * some systems write. Case does not count.
 *
 * @param tag as in an element's `lang`; may be empty
 * @param locales by language subtag, in small letters
 */
export function localeOf<Texts>(tag: string, locales: Readonly<Record<string, Texts>>): Texts | undefined {
  const normal = tag.toLowerCase().replaceAll('_', '-');
  const [language = ''] = normal.split('-');
  return Object.hasOwn(locales, language) && !OTHER_SCRIPT.test(normal) ? locales[language] : undefined;
}
