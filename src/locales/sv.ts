/** Swedish. */
import type { LocaleMessages } from '../widget/check/policy.ts';

export default {
  verifying: 'Kontrollerar adressen\u00a0…',
  invalid: 'Den här adressen verkar inte finnas.',
  role: 'Ange en personlig e-postadress.',
  free: 'Ange en e-postadress till jobbet.',
  disposable: 'Ange en permanent e-postadress.',
  didYouMean: 'Menade du [EMAIL]?',
  rateLimited: 'Försök igen i morgon.',
} satisfies LocaleMessages;
