/** Italian. */
import type { LocaleMessages } from '../widget/check/policy.ts';

export default {
  verifying: 'Verifica dell’indirizzo in corso…',
  invalid: 'Questo indirizzo sembra non esistere.',
  role: 'Inserisci un indirizzo email personale.',
  free: 'Inserisci un indirizzo email aziendale.',
  disposable: 'Inserisci un indirizzo email permanente.',
  didYouMean: 'Intendevi [EMAIL]?',
  rateLimited: 'Riprova domani.',
} satisfies LocaleMessages;
