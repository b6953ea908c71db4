/** What a language's file has to say. */

import type { Messages } from '../../widget/check/policy.ts';

/** The widget's texts, except those that the browser says itself, in its own language. */
export type LocaleTexts = Omit<Messages, 'malformed'>;
