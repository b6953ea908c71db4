/** German. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Adresse wird geprüft\u00a0…',
  invalid: 'Diese Adresse scheint es nicht zu geben.',
  role: 'Bitte geben Sie Ihre eigene E-Mail-Adresse an, keine gemeinsam genutzte.',
  free: 'Bitte geben Sie eine geschäftliche E-Mail-Adresse an.',
  disposable: 'Bitte geben Sie eine dauerhafte E-Mail-Adresse an.',
  didYouMean: 'Meinten Sie [EMAIL]?',
  rateLimited: 'Bitte versuchen Sie es morgen noch einmal.',
} satisfies LocaleTexts;
