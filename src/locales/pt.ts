/** Portuguese, in words that Brazil and Portugal share. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Endereço em verificação…',
  invalid: 'Este endereço parece não existir.',
  role: 'Por favor, utilize o seu próprio endereço de e-mail, não um de uso coletivo.',
  free: 'Por favor, utilize um endereço de e-mail profissional.',
  disposable: 'Por favor, utilize um endereço de e-mail permanente.',
  didYouMean: 'Quis dizer [EMAIL]?',
  rateLimited: 'Por favor, tente novamente amanhã.',
} satisfies LocaleTexts;
