/** Ukrainian. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Перевіряємо адресу…',
  invalid: 'Схоже, такої адреси не існує.',
  role: 'Будь ласка, вкажіть власну адресу електронної пошти, а не спільну.',
  free: 'Будь ласка, вкажіть корпоративну адресу електронної пошти.',
  disposable: 'Будь ласка, вкажіть постійну адресу електронної пошти.',
  didYouMean: 'Можливо, ви мали на увазі [EMAIL]?',
  rateLimited: 'Будь ласка, спробуйте ще раз завтра.',
} satisfies LocaleTexts;
