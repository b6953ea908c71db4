/**
 * Texts in all languages: `import { localeFor } from 'email-verify-widget/locales/auto'`. For one language, import the
 * default export of its own entry: `import de from 'email-verify-widget/locales/de'`.
 *
 * @module email-verify-widget/locales/auto
 */

import type { Messages } from '../widget/check/policy.ts';
import { LOCALES } from './page/every-language.ts';
import { localeOf } from './page/language.ts';

/**
 * Returns the texts in a language, for the widget's option `locale`.
 *
 * @param tag a language tag such as `de` or `pt-BR`. By default, the language of the document
 * @returns the texts, or `{}` for a language without texts. The widget then uses English. On a server without a tag,
 *   also `{}`
 * @example
 * install({ apiKey: 'test_public_key', locale: localeFor() });
 */
export function localeFor(tag = documentLanguage()): Partial<Messages> {
  return localeOf(tag, LOCALES) ?? {};
}

const documentLanguage = () => (typeof document === 'undefined' ? '' : document.documentElement.lang);
