/** Czech. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Ověřujeme adresu…',
  invalid: 'Tato adresa zřejmě neexistuje.',
  role: 'Zadejte prosím svou vlastní e-mailovou adresu, ne sdílenou.',
  free: 'Zadejte prosím firemní e-mailovou adresu.',
  disposable: 'Zadejte prosím stálou e-mailovou adresu.',
  didYouMean: 'Měli jste na mysli [EMAIL]?',
  rateLimited: 'Zkuste to prosím znovu zítra.',
} satisfies LocaleTexts;
