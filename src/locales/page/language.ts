/** Finds the texts for a language tag. Pure. */

/** Traditional Chinese is a different script. Its readers get English, and not the simplified texts. */
const OTHER_SCRIPT = /^zh-(?!hans\b)(.*-)?(hant|tw|hk|mo)\b/;

/**
 * Finds the texts for the first subtag of a language tag: `de-AT` gets `de`, and so does `de_AT`, which some systems
 * write. Ignores case.
 *
 * @param tag as in an element's `lang`. May be empty
 * @param locales texts by language subtag in lower case
 */
export function localeOf<Texts>(tag: string, locales: Readonly<Record<string, Texts>>): Texts | undefined {
  const normal = tag.toLowerCase().replaceAll('_', '-');
  const [language = ''] = normal.split('-');
  return Object.hasOwn(locales, language) && !OTHER_SCRIPT.test(normal) ? locales[language] : undefined;
}
