/**
 * The module's choice among all languages: `import { localeFor } from 'email-verify-widget/locales/auto'`. Each by
 * itself is the default export of its own entry: `import de from 'email-verify-widget/locales/de'`.
 *
 * @module email-verify-widget/locales/auto
 */

import type { Messages } from '../widget/check/policy.ts';
import { LOCALES } from './page/every-language.ts';
import { localeOf } from './page/language.ts';

/**
 * The texts in a language, to be given to the widget as `locale`.
 *
 * @param tag a language tag such as `de` or `pt-BR`; by default the language of the document
 * @returns `{}` when there are none in that language (the widget then keeps its English), or when there is neither a
 *   tag nor a document, as on a server
 * @example
 * install({ apiKey: 'test_public_key', locale: localeFor() });
 */
export function localeFor(tag = documentLanguage()): Partial<Messages> {
  return localeOf(tag, LOCALES) ?? {};
}

const documentLanguage = () => (typeof document === 'undefined' ? '' : document.documentElement.lang);
