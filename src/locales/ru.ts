/** Russian. */
import type { LocaleMessages } from '../widget/check/policy.ts';

export default {
  verifying: 'Проверяем адрес…',
  invalid: 'Похоже, такого адреса не существует.',
  role: 'Пожалуйста, укажите личный адрес электронной почты.',
  free: 'Пожалуйста, укажите корпоративный адрес электронной почты.',
  disposable: 'Пожалуйста, укажите постоянный адрес электронной почты.',
  didYouMean: 'Возможно, вы имели в виду [EMAIL]?',
  rateLimited: 'Пожалуйста, попробуйте ещё раз завтра.',
} satisfies LocaleMessages;
