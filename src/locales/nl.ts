/** Dutch. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Adres wordt gecontroleerd…',
  invalid: 'Dit adres lijkt niet te bestaan.',
  role: 'Vul uw eigen e-mailadres in, geen gedeeld adres.',
  free: 'Vul een zakelijk e-mailadres in.',
  disposable: 'Vul een permanent e-mailadres in.',
  didYouMean: 'Bedoelde u [EMAIL]?',
  rateLimited: 'Probeer het morgen opnieuw.',
} satisfies LocaleTexts;
