/** Why the widget decides as it does, in words. Pure, except that it reads inputs. */
import { parseResult } from '../interface/result.ts';
import type { Allow } from '../widget/check/policy.ts';
import type { ErrorDetail, VerifiedDetail } from '../widget/effects/events.ts';
import type { Cause } from '../widget/field.ts';
import type { Options } from '../widget/options.ts';
import { matches } from '../widget/prototypes.ts';

/** Why an address is asked for, by what the widget says about an input. */
export const CAUSES: Readonly<Record<string, string>> = {
  delay: 'the delay is over',
  left: 'the field was left',
  submission: 'a submission was tried',
  call: 'verify() was called',
  script: 'a script changed the value',
  suggestion: 'the visitor took the suggestion',
} satisfies Record<Cause, string>;

/** What becomes of a submission, by what the widget says about a form. */
export const OUTCOMES: Readonly<Record<string, string>> = {
  held: 'held: the verdict is still to come',
  refused: 'refused: the address may not be submitted',
  'carried out': 'carried out: nothing is pending any more',
  dropped: 'dropped: the form has changed or is gone, or its new window would be blocked',
};

/** Why an input that may hold an address is not monitored; `undefined` when it is, or is none of our business. */
export function reasonUnmonitored(input: HTMLInputElement, options: Options): string | undefined {
  const looksLikeOne = input.type === 'email' || /e-?mail/i.test(`${input.name} ${input.id}`);
  if (!matches(input, options.inputSelector))
    return looksLikeOne ? `it does not match inputSelector (${options.inputSelector})` : undefined;
  if (input.readOnly) return 'it is read-only';
  if (matches(input, ':disabled')) return 'it is disabled';
  if (options.ignoredInputs.includes(input.name)) return 'its name is in ignoredInputs';
  const form = input.form?.getAttribute('name');
  return form && options.ignoredForms.includes(form) ? 'its form’s name is in ignoredForms' : undefined;
}

/** Which rule has decided a verdict. */
export function reasonOfVerdict({ accepted, verificationData }: VerifiedDetail, allow: Allow): string {
  const { body, status } = verificationData;
  if (status === 0) return 'it cannot be an address, so nothing was asked';
  const result = parseResult(body);
  if (!result) return 'the answer is no result';
  const says = `state ${result.state}${typeof result.reason === 'string' ? ` (${result.reason})` : ''}`;
  if (!allow.states.includes(result.state)) return `${says} is not in allow.states`;
  const held = (['disposable', 'role', 'free'] as const).filter((attribute) => result[attribute] === true);
  const refused = held.find((attribute) => allow[attribute] === false);
  if (refused && !accepted) return `it is ${refused}, and allow.${refused} is false`;
  const doubtful = held.find((attribute) => allow[attribute] === 'warn');
  if (typeof result.did_you_mean === 'string')
    return `${says} is allowed; another address was probably meant`;
  return doubtful ? `${says} is allowed, with a hint: allow.${doubtful} is "warn"` : `${says} is allowed`;
}

/** What becomes of the visitor when there is no verdict. */
export function reasonOfError({ status, message }: ErrorDetail, { blockOnRateLimit }: Options): string {
  const what = status ? `status ${status}: ${message}` : message;
  return status === 429 && blockOnRateLimit
    ? `${what} – blocked, since blockOnRateLimit is true`
    : `${what} – the visitor may go on`;
}

/** When a value that has changed will be asked for. */
export function whenAsked({ verifyOn, verifyAfterDelay }: Options): string {
  if (verifyOn === 'submit') return 'asks when a submission is tried (verifyOn is "submit")';
  if (verifyOn === 'blur') return 'asks when the field is left or a submission tried (verifyOn is "blur")';
  return `asks ${verifyAfterDelay} ms after the last change, or when the field is left`;
}
