/** Italian. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Verifica dell’indirizzo in corso…',
  invalid: 'Questo indirizzo sembra non esistere.',
  role: 'Inserisci il tuo indirizzo email, non uno condiviso.',
  free: 'Inserisci un indirizzo email aziendale.',
  disposable: 'Inserisci un indirizzo email permanente.',
  didYouMean: 'Intendevi [EMAIL]?',
  rateLimited: 'Riprova domani.',
} satisfies LocaleTexts;
