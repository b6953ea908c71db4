/**
 * What React's hook and component take and return, and with `@ts-expect-error` what they do not take. Checked by
 * `tsc`, never run.
 */
import { createElement } from 'react';
import {
  useEmailVerify as callHook,
  EmailInput,
  type EmailInputProps,
  installEmailVerify,
} from '../../src/frameworks/react.ts';
import type { EmailVerifyErrorEvent, ErrorDetail, GivenOptions } from '../../src/widget/index.ts';

declare const apiKey: string | undefined;
declare const allow: GivenOptions['allow'];
declare const selector: string | undefined;
declare const isStrict: boolean;

// Under `exactOptionalPropertyTypes`, what may be undefined may be given
installEmailVerify({ apiKey, allow, captcha: undefined });
callHook({ apiKey, allow, statusAppendTo: selector, messages: { invalid: selector }, onError: undefined });
callHook({ allow: isStrict ? { free: false, role: undefined } : undefined });
createElement(EmailInput, { verify: isStrict ? { apiKey, statusAppendTo: selector } : undefined });
createElement(EmailInput, { onVerifying: undefined, onVerified: undefined, onError: undefined });

// A listener may name its event in full
const onFailure = (event: EmailVerifyErrorEvent) => event.detail.status;
const onFailureDetail = ({ detail }: CustomEvent<ErrorDetail>) => void detail.message;
createElement(EmailInput, { onError: onFailure, onVerified: ({ detail }) => detail.accepted });
callHook({ onError: onFailureDetail, onVerifying: ({ detail }) => detail.email });
const props: EmailInputProps = { onError: (event) => event.detail.status };

// @ts-expect-error an element can't be an attribute
callHook({ statusAppendTo: document.body });
// @ts-expect-error the name is apiKey
createElement(EmailInput, { verify: { apikey: 'test_public' } });
// @ts-expect-error null is a value, and not one of those allowed
callHook({ allow: null });

export { props };
