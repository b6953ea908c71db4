/** Danish. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Adressen kontrolleres\u00a0…',
  invalid: 'Denne adresse ser ikke ud til at findes.',
  role: 'Angiv din egen e-mailadresse, ikke en fælles adresse.',
  free: 'Angiv en e-mailadresse fra dit arbejde.',
  disposable: 'Angiv en permanent e-mailadresse.',
  didYouMean: 'Mente du [EMAIL]?',
  rateLimited: 'Prøv igen i morgen.',
} satisfies LocaleTexts;
