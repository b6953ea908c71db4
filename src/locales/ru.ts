/** Russian. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Проверяем адрес…',
  invalid: 'Похоже, такого адреса не существует.',
  role: 'Пожалуйста, укажите свой адрес электронной почты, а не общий.',
  free: 'Пожалуйста, укажите корпоративный адрес электронной почты.',
  disposable: 'Пожалуйста, укажите постоянный адрес электронной почты.',
  didYouMean: 'Возможно, вы имели в виду [EMAIL]?',
  rateLimited: 'Пожалуйста, попробуйте ещё раз завтра.',
} satisfies LocaleTexts;
