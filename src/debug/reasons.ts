/** Describes in words why the widget decides. Pure, except that it reads inputs. */
import type { Allow } from '../protocol/policy.ts';
import { parseResult } from '../protocol/result.ts';
import type { ErrorDetail, VerifiedDetail } from '../widget/effects/events.ts';
import type { Cause } from '../widget/field.ts';
import type { Options } from '../widget/options.ts';
import { matches } from '../widget/prototypes.ts';

/** Why the widget verifies an address, by its cause. */
export const CAUSES: Readonly<Record<string, string>> = {
  delay: 'the delay is over',
  left: 'the field was left',
  submission: 'a submission was tried',
  call: 'verify() was called',
  script: 'a script changed the value',
  suggestion: 'the visitor took the suggestion',
} satisfies Record<Cause, string>;

/** What the widget does with a submission, by its word for it. */
export const OUTCOMES: Readonly<Record<string, string>> = {
  held: 'held until the verdict',
  refused: 'refused: an address blocks the form',
  'carried out': 'carried out: all verifications are done',
  dropped: 'dropped: the form has changed or is gone, or the browser would block its new window',
};

/** Why an input is not monitored; `undefined` if it is, or if it does not look like an email input. */
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

/** The rule that decided a verdict. */
export function reasonOfVerdict({ accepted, verificationData }: VerifiedDetail, allow: Allow): string {
  const { body, status } = verificationData;
  if (status === 0) return 'it cannot be an address, so the widget sent no request';
  const result = parseResult(body);
  if (!result) return 'the response is not a result';
  const says = `state ${result.state}${typeof result.reason === 'string' ? ` (${result.reason})` : ''}`;
  if (!allow.states.includes(result.state)) return `${says} is not in allow.states`;
  const held = (['disposable', 'role', 'free'] as const).filter((attribute) => result[attribute] === true);
  const refused = held.find((attribute) => allow[attribute] === false);
  if (refused && !accepted) return `it is ${refused}, and allow.${refused} is false`;
  const doubtful = held.find((attribute) => allow[attribute] === 'warn');
  if (typeof result.did_you_mean === 'string')
    return `${says} is allowed; the service suggests another address`;
  return doubtful ? `${says} is allowed, with a hint: allow.${doubtful} is "warn"` : `${says} is allowed`;
}

/** What happened instead of a verdict, and whether the form can be submitted. */
export function reasonOfError({ status, message }: ErrorDetail, { blockOnRateLimit }: Options): string {
  const what = status ? `status ${status}: ${message}` : message;
  return status === 429 && blockOnRateLimit
    ? `${what} – blocked, because blockOnRateLimit is true`
    : `${what} – the form can be submitted`;
}

/** When the widget will verify a changed value. */
export function whenAsked({ verifyOn, verifyAfterDelay }: Options): string {
  if (verifyOn === 'submit') return 'verifies when a submission is tried (verifyOn is "submit")';
  if (verifyOn === 'blur')
    return 'verifies when the field is left or a submission is tried (verifyOn is "blur")';
  return `verifies ${verifyAfterDelay} ms after the last change, or when the field is left`;
}
