/** Turkish. The question particle comes before the address, because its vowel would depend on the address's last vowel. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'Adres kontrol ediliyor…',
  invalid: 'Böyle bir adres yok gibi görünüyor.',
  role: 'Lütfen ortak bir adres değil, kendi e-posta adresinizi kullanın.',
  free: 'Lütfen kurumsal bir e-posta adresi kullanın.',
  disposable: 'Lütfen kalıcı bir e-posta adresi kullanın.',
  didYouMean: 'Şunu mu demek istediniz: [EMAIL]?',
  rateLimited: 'Lütfen yarın tekrar deneyin.',
} satisfies LocaleTexts;
