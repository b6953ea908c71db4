/** French. "Nominative" means the address of a person, in contrast to that of a department. */
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
