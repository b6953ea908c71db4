/** Polish. "Imienny" means the address of a person, in contrast to that of a department. */
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
