/** Persian. The isolates keep an address that begins with a digit in its own order within the sentence. */
import type { LocaleMessages } from '../widget/check/policy.ts';

export default {
  verifying: 'در حال بررسی آدرس…',
  invalid: 'به نظر می\u200cرسد این آدرس وجود ندارد.',
  role: 'لطفاً یک آدرس ایمیل شخصی وارد کنید.',
  free: 'لطفاً یک آدرس ایمیل کاری وارد کنید.',
  disposable: 'لطفاً یک آدرس ایمیل دائمی وارد کنید.',
  didYouMean: 'منظورتان \u2068[EMAIL]\u2069 بود؟',
  rateLimited: 'لطفاً فردا دوباره امتحان کنید.',
} satisfies LocaleMessages;
