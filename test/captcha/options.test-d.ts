/**
 * What a page's author can pass to a captcha helper under `exactOptionalPropertyTypes`: a missing environment variable
 * is an option that is not given. Checked by `tsc`, never run.
 */
import { altcha } from '../../src/captcha/altcha.ts';
import { friendlyCaptcha } from '../../src/captcha/friendly-captcha.ts';
import { hcaptcha } from '../../src/captcha/hcaptcha.ts';
import { recaptchaEnterprise } from '../../src/captcha/recaptcha-enterprise.ts';
import { recaptchaV2 } from '../../src/captcha/recaptcha-v2.ts';
import { recaptchaV3 } from '../../src/captcha/recaptcha-v3.ts';
import { turnstile } from '../../src/captcha/turnstile.ts';
import { install } from '../../src/widget/index.ts';

declare const text: string | undefined;
declare const params: Record<string, unknown> | undefined;
declare const container: Element | undefined;
const common = { sitekey: 'key', src: text, nonce: text, container };

install({ captcha: turnstile({ ...common, params }) });
install({ captcha: hcaptcha({ ...common, params }) });
install({ captcha: friendlyCaptcha({ ...common, params }) });
install({ captcha: altcha({ challenge: '/altcha', src: text, nonce: text, container, params }) });
install({ captcha: recaptchaV2({ ...common, size: undefined, params }) });
install({ captcha: recaptchaV3({ ...common, action: text }) });
install({ captcha: recaptchaEnterprise({ ...common, action: text, size: undefined, params }) });

// @ts-expect-error a captcha without its site key is an error, not an option that is not given
turnstile({ sitekey: text });
