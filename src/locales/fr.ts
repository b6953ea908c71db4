/** French. "Nominative" is the word for an address that is a person's own and not a function's. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Vérification de l’adresse…',
  invalid: 'Cette adresse ne semble pas exister.',
  role: 'Veuillez saisir une adresse e-mail nominative.',
  free: 'Veuillez saisir une adresse e-mail professionnelle.',
  disposable: 'Veuillez saisir une adresse e-mail permanente.',
  didYouMean: 'Vouliez-vous dire [EMAIL]\u202f?',
  rateLimited: 'Veuillez réessayer demain.',
} satisfies LocaleTexts;
