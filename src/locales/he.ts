/** Hebrew. The isolates keep the order of characters in an address that begins with a digit. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'הכתובת נבדקת…',
  invalid: 'נראה שכתובת זו אינה קיימת.',
  role: 'נא להזין את כתובת האימייל שלך, ולא כתובת משותפת.',
  free: 'נא להזין כתובת אימייל עסקית.',
  disposable: 'נא להזין כתובת אימייל קבועה.',
  didYouMean: 'האם התכוונת לכתובת \u2068[EMAIL]\u2069?',
  rateLimited: 'נא לנסות שוב מחר.',
} satisfies LocaleTexts;
