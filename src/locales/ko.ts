/** Korean. "주소" follows the address, because the form of a particle would depend on the address's last sound. */
import type { LocaleTexts } from './page/texts.ts';

export default {
  verifying: '이메일 주소를 확인하는 중…',
  invalid: '존재하지 않는 이메일 주소인 것 같습니다.',
  role: '공용 주소가 아닌 본인의 이메일 주소를 입력해 주세요.',
  free: '회사 이메일 주소를 입력해 주세요.',
  disposable: '일회용이 아닌 이메일 주소를 입력해 주세요.',
  didYouMean: '혹시 [EMAIL] 주소를 입력하려고 하셨나요?',
  rateLimited: '내일 다시 시도해 주세요.',
} satisfies LocaleTexts;
