/** Czech. */
import type { LocaleMessages } from '../widget/check/policy.ts';

export default {
  verifying: 'Ověřujeme adresu…',
  invalid: 'Tato adresa zřejmě neexistuje.',
  role: 'Zadejte prosím osobní e-mailovou adresu.',
  free: 'Zadejte prosím firemní e-mailovou adresu.',
  disposable: 'Zadejte prosím stálou e-mailovou adresu.',
  didYouMean: 'Měli jste na mysli [EMAIL]?',
  rateLimited: 'Zkuste to prosím znovu zítra.',
} satisfies LocaleMessages;
