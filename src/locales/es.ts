/** Spanish. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Verificando la dirección…',
  invalid: 'Parece que esta dirección no existe.',
  role: 'Por favor, use su propia dirección de correo, no una compartida.',
  free: 'Por favor, use una dirección de correo corporativa.',
  disposable: 'Por favor, use una dirección de correo permanente.',
  didYouMean: '¿Quiso decir [EMAIL]?',
  rateLimited: 'Por favor, inténtelo de nuevo mañana.',
} satisfies LocaleTexts;
