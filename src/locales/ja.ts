/** Japanese. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: 'メールアドレスを確認しています…',
  invalid: 'このメールアドレスは存在しないようです。',
  role: 'ご本人のメールアドレスを入力してください。',
  free: '会社のメールアドレスを入力してください。',
  disposable: '使い捨てではないメールアドレスを入力してください。',
  didYouMean: '[EMAIL] ではありませんか？',
  rateLimited: '明日もう一度お試しください。',
} satisfies LocaleTexts;
