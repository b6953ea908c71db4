/**
 * What a page's author can write, and with `@ts-expect-error` what not. Checked by `tsc`, never run.
 */
import {
  type Allow,
  type Detail,
  type EmailVerifyErrorEvent,
  type ErrorDetail,
  type GivenOptions,
  install,
  type Options,
  type VerificationResult,
  type VerifiedDetail,
  type VerifyingDetail,
  type Widget,
} from '../../src/widget/index.ts';

declare const input: HTMLInputElement;
declare const element: HTMLElement;
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(proof?: T) => proof;

// Events
input.addEventListener('verified', ({ detail }) => holds<Equal<typeof detail, VerifiedDetail>>());
document.addEventListener('verified', (event) => event.detail.accepted);
window.addEventListener('verifying', (event) => event.detail.email);
input.addEventListener('error', (event) => (event as Event as EmailVerifyErrorEvent).detail.status);
input.addEventListener('error', (event: Event) => (event as EmailVerifyErrorEvent).detail.status);
// @ts-expect-error a verdict is accepted or not
input.addEventListener('verified', (event) => event.detail.isAccepted);
// @ts-expect-error nothing is known yet
input.addEventListener('verifying', (event) => event.detail.accepted);

// Installing
const widget: Widget = install();
install({});
install({ apiKey: 'test_public', baseUrl: 'https://api.example' });
// @ts-expect-error the name is apiKey
install({ apikey: 'test_public' });
// @ts-expect-error options come as one object
install('apiKey', 'test_public');
// @ts-expect-error an option that is not there
widget.set({ captchaSelector: '#token' });

// Every option may be given alone
const given: GivenOptions[] = [
  { allow: { states: ['deliverable'], free: 'warn', role: false, disposable: true } },
  { allow: { free: 'warn' } },
  { allow: {} },
  { messages: { invalid: 'No.' } },
  { locale: { invalid: 'Nein.' } },
  { style: { loadingIconColor: 'red' } },
  { style: {} },
  { verificationTimeout: 10, verifyAfterDelay: 0 },
  { formValidation: false, blockOnRateLimit: true },
  { inputSelector: '.email', ignoredForms: ['login'], ignoredInputs: [] },
  { statusAppendTo: '.status' },
  { statusAppendTo: element },
  { captcha: '#token' },
  { captcha: () => 'token' },
  { captcha: async (field) => `${field.name}` },
  { method: 'POST', verifyOn: 'blur', resultField: 'result', proofField: 'proof' },
];
for (const options of given) widget.set(options);

// Under `exactOptionalPropertyTypes`, what may be undefined may be given: it counts as not given
declare const text: string | undefined;
install({ apiKey: text, baseUrl: text });
widget.set({ allow: undefined, messages: undefined, style: undefined, locale: undefined });
widget.set({ captcha: undefined, statusAppendTo: undefined, method: undefined, verifyAfterDelay: undefined });
widget.set({ allow: { states: undefined, free: undefined } });
widget.set({ messages: { invalid: text }, locale: { invalid: text }, style: { loadingIconColor: text } });
// @ts-expect-error null is a value, and not one of those allowed
widget.set({ allow: null });
// @ts-expect-error a text or nothing
widget.set({ messages: { invalid: null } });

// @ts-expect-error a state that is not documented
widget.set({ allow: { states: ['accepted'] } });
// @ts-expect-error neither true, false nor 'warn'
widget.set({ allow: { free: 'yes' } });
// @ts-expect-error a key that is not there
widget.set({ messages: { didyoumean: 'x' } });
// @ts-expect-error the name of a language is no texts
widget.set({ locale: 'de' });
// @ts-expect-error a number of milliseconds
widget.set({ verifyAfterDelay: '500' });
// @ts-expect-error a list of names
widget.set({ ignoredForms: 'login' });
// @ts-expect-error one of three moments
widget.set({ verifyOn: 'change' });
// @ts-expect-error one of two methods
widget.set({ method: 'PUT' });
// @ts-expect-error an element or a selector
widget.set({ statusAppendTo: null });
// @ts-expect-error a token is a text
widget.set({ captcha: () => 7 });

// What is merged may be given in part; what holds is whole
holds<Equal<Required<Options>, Options>>();
holds<Equal<Allow['free'], boolean | 'warn'>>();
// @ts-expect-error a policy without its states is none
const part: Allow = { free: true, role: true, disposable: true };

// Verifying
const promised: Promise<Detail> = widget.verify(input);
// @ts-expect-error an input, not any element
widget.verify(element);
// @ts-expect-error an input, not a selector
widget.verify('#email');
void promised.then((detail) => {
  // @ts-expect-error there may have been nothing to verify
  void detail.message;
  if (!detail) return;
  const { message } = detail;
  holds<Equal<typeof message, string>>();
  // @ts-expect-error an error has no verdict
  void detail.accepted;
  if ('accepted' in detail) {
    holds<Equal<typeof detail, VerifiedDetail>>();
    const { body, status } = detail.verificationData;
    holds<Equal<[typeof body, typeof status], [string, number]>>();
    const result: VerificationResult = JSON.parse(body);
    holds<Equal<typeof result.state, 'deliverable' | 'undeliverable' | 'risky' | 'unknown'>>();
    holds<Equal<typeof result.accept_all, boolean | null>>();
  } else {
    holds<Equal<typeof detail, ErrorDetail>>();
    const { status }: { status: number } = detail;
    void status;
  }
});
holds<Equal<ReturnType<Widget['destroy']>, void>>();
holds<Equal<ReturnType<Widget['set']>, void>>();

// Listening
input.addEventListener('verified', (event) => {
  const { accepted, message } = (event as CustomEvent<VerifiedDetail>).detail;
  holds<Equal<[typeof accepted, typeof message], [boolean, string]>>();
});
input.addEventListener('verifying', (event) => {
  const { email } = (event as CustomEvent<VerifyingDetail>).detail;
  if (email.endsWith('@shop.example')) event.preventDefault();
});

export { part };
