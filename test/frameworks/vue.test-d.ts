/**
 * What Vue's directive and composable take and return, what a template's listeners get, and with `@ts-expect-error`
 * what does not compile. Checked by `tsc`, never run.
 *
 * A template's `<input @error="…">` is, to Vue's language tools, the property `onError` of `NativeElements['input']`.
 */
import type { InputHTMLAttributes, NativeElements } from 'vue';
import {
  useEmailVerify as callComposable,
  installEmailVerify,
  type vEmailVerify,
} from '../../src/frameworks/vue.ts';
import type {
  EmailVerifyErrorEvent,
  ErrorDetail,
  GivenOptions,
  VerifiedDetail,
  VerifyingDetail,
} from '../../src/widget/index.ts';

declare const apiKey: string | undefined;
declare const allow: GivenOptions['allow'];
declare const selector: string | undefined;
type Input = NativeElements['input'];
type Form = NativeElements['form'];

// Under `exactOptionalPropertyTypes`, what may be undefined may be given
installEmailVerify({ apiKey, allow, captcha: undefined });
callComposable(() => null, { apiKey, allow, statusAppendTo: selector, onError: undefined });
callComposable(
  () => undefined,
  () => ({ messages: { invalid: selector }, verifyOn: undefined }),
);
type DirectiveValue = Parameters<NonNullable<typeof vEmailVerify.mounted>>[1]['value'];
const values: DirectiveValue[] = [undefined, {}, { apiKey, allow, statusAppendTo: selector }];

// @error on an input, whether its handler names the widget's event or any
const onFailure = (event: EmailVerifyErrorEvent) => event.detail.status;
const onFailureDetail = ({ detail }: CustomEvent<ErrorDetail>) => void detail.message;
const onAnyError = (event: Event) => void event.type;
const inputs: (Input | InputHTMLAttributes)[] = [
  { onError: onFailure },
  { onError: onFailureDetail },
  { onError: onAnyError },
  { onError: (event) => (event as EmailVerifyErrorEvent).detail.status },
];
// @ts-expect-error a listener gets the event, not its detail
const onDetail: Input = { onError: (detail: ErrorDetail) => detail.status };
// @ts-expect-error an image that fails to load has no detail
const onImage: NativeElements['img'] = { onError: onFailure };

// @verifying and @verified, which bubble: on the input, and on what it is in
const onVerified = ({ detail }: CustomEvent<VerifiedDetail>) => void detail.accepted;
const onVerifying = (event: CustomEvent<VerifyingDetail>) => void event.preventDefault();
const listening: (Input | Form)[] = [
  { onVerified, onVerifying },
  { onVerified: ({ detail }) => detail.verificationData.body },
  { onVerifying: ({ detail }) => detail.email },
  { onVerified: undefined },
];
// @ts-expect-error a verdict is accepted or not
const onWrong: Input = { onVerified: ({ detail }) => detail.isAccepted };
// @ts-expect-error nothing is known yet
const onEarly: Form = { onVerifying: onVerified };

// @ts-expect-error the name is apiKey
callComposable(() => null, { apikey: 'test_public' });
// @ts-expect-error an element can't be an attribute
callComposable(() => null, { statusAppendTo: document.body });

export { inputs, listening, onDetail, onEarly, onImage, onWrong, values };
