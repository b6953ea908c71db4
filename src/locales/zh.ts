/** Chinese, simplified. "个人邮箱" is a personal address, "公共邮箱" is an address of a free provider. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: '正在验证邮箱地址…',
  invalid: '该邮箱地址似乎不存在。',
  role: '请使用您本人的邮箱，而不是共用邮箱。',
  free: '请使用企业邮箱。',
  disposable: '请使用长期有效的邮箱。',
  didYouMean: '您要输入的是 [EMAIL] 吗？',
  rateLimited: '请明天再试。',
} satisfies LocaleTexts;
