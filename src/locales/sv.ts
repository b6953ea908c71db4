/** Swedish. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Kontrollerar adressen\u00a0…',
  invalid: 'Den här adressen verkar inte finnas.',
  role: 'Ange din egen e-postadress, inte en delad.',
  free: 'Ange en e-postadress till jobbet.',
  disposable: 'Ange en permanent e-postadress.',
  didYouMean: 'Menade du [EMAIL]?',
  rateLimited: 'Försök igen i morgon.',
} satisfies LocaleTexts;
