/** The type of the texts in a language's file. */

import type { Messages } from '../../widget/check/policy.ts';

/** The widget's texts, except `malformed`: for it, the browser shows a sentence in the visitor's language. */
export type LocaleTexts = Omit<Messages, 'malformed'>;
