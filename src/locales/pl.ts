/** Polish. "Imienny" is the word for an address that is a person's own and not a function's. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Sprawdzanie adresu…',
  invalid: 'Wygląda na to, że ten adres nie istnieje.',
  role: 'Prosimy podać imienny adres e-mail.',
  free: 'Prosimy podać firmowy adres e-mail.',
  disposable: 'Prosimy podać stały adres e-mail.',
  didYouMean: 'Czy chodziło o [EMAIL]?',
  rateLimited: 'Prosimy spróbować ponownie jutro.',
} satisfies LocaleTexts;
