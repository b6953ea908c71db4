/** Portuguese, in words that Brazil and Portugal share. */
import type { LocaleMessages } from '../widget/check/policy.ts';

export default {
  verifying: 'Endereço em verificação…',
  invalid: 'Este endereço parece não existir.',
  role: 'Por favor, utilize um endereço de e-mail pessoal.',
  free: 'Por favor, utilize um endereço de e-mail profissional.',
  disposable: 'Por favor, utilize um endereço de e-mail permanente.',
  didYouMean: 'Quis dizer [EMAIL]?',
  rateLimited: 'Por favor, tente novamente amanhã.',
} satisfies LocaleMessages;
