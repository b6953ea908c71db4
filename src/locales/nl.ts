/** Dutch. */
import type { LocaleMessages } from '../widget/check/policy.ts';

export default {
  verifying: 'Adres wordt gecontroleerd…',
  invalid: 'Dit adres lijkt niet te bestaan.',
  role: 'Vul een persoonlijk e-mailadres in.',
  free: 'Vul een zakelijk e-mailadres in.',
  disposable: 'Vul een permanent e-mailadres in.',
  didYouMean: 'Bedoelde u [EMAIL]?',
  rateLimited: 'Probeer het morgen opnieuw.',
} satisfies LocaleMessages;
