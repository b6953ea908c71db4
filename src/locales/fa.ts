/** Persian. The isolates keep the order of characters in an address that begins with a digit. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'در حال بررسی آدرس…',
  invalid: 'به نظر می\u200cرسد این آدرس وجود ندارد.',
  role: 'لطفاً آدرس ایمیل خودتان را وارد کنید، نه یک آدرس مشترک.',
  free: 'لطفاً یک آدرس ایمیل کاری وارد کنید.',
  disposable: 'لطفاً یک آدرس ایمیل دائمی وارد کنید.',
  didYouMean: 'منظورتان \u2068[EMAIL]\u2069 بود؟',
  rateLimited: 'لطفاً فردا دوباره امتحان کنید.',
} satisfies LocaleTexts;
