/** Arabic. The isolates keep the order of characters in an address that begins with a digit. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'جارٍ التحقق من العنوان…',
  invalid: 'يبدو أن هذا العنوان غير موجود.',
  role: 'يُرجى استخدام عنوان بريدك الإلكتروني وليس عنوانًا مشتركًا.',
  free: 'يُرجى استخدام عنوان بريد إلكتروني خاص بالعمل.',
  disposable: 'يُرجى استخدام عنوان بريد إلكتروني دائم.',
  didYouMean: 'هل تقصد \u2068[EMAIL]\u2069؟',
  rateLimited: 'يُرجى المحاولة مرة أخرى غدًا.',
} satisfies LocaleTexts;
