/** The site's policy, applied to a result: accepted or rejected, and with which words. Pure. */

import type { CheckedResult, State } from '../../interface/result.ts';
import { canBeAddress } from './address.ts';

/** What to do about an attribute: accept it, accept it with a hint, or reject it. */
export type Allowance = boolean | 'warn';

/** Which kinds of address are accepted (interface, section 6.2). */
export interface Allow {
  /** The states that are accepted. @default ['deliverable', 'risky', 'unknown'] */
  states: State[];
  /** Addresses of free providers. @default true */
  free: Allowance;
  /** Role addresses such as support@ or info@. @default true */
  role: Allowance;
  /** Addresses of disposable services. @default false */
  disposable: Allowance;
}

/** Texts for the visitor. A text may be empty: then nothing is shown, the verdict stands all the same. */
export interface Messages {
  /** While one is verified. @default 'Checking this address…' */
  verifying: string;
  /** The service does not accept the address. @default 'This address does not seem to exist.' */
  invalid: string;
  /** A role address. @default 'Please use your own address, not a shared one.' */
  role: string;
  /** Of a free provider. @default 'Please use a business address.' */
  free: string;
  /** Of a disposable service. @default 'Please use a permanent address.' */
  disposable: string;
  /** `[EMAIL]` stands for the suggested address, and becomes the button that takes it. @default 'Did you mean [EMAIL]?' */
  didYouMean: string;
  /** With `blockOnRateLimit`, when the visitor's verifications are used up. @default 'Please try again tomorrow.' */
  rateLimited: string;
  /**
   * What was typed cannot be an address. Empty: the browser's own sentence in the visitor's language, or `invalid`
   * where the browser has none.
   *
   * @default ''
   */
  malformed: string;
}

export interface Verdict {
  /** Whether the page's `allow` refuses the address. */
  readonly _rejects: boolean;
  /** The text before any suggestion is put into it. */
  readonly _template: string;
  /** The address that was probably meant; empty when there is none. */
  readonly _suggestion: string;
}

/** The order in which attributes are looked at (contract, The verdict). */
const ATTRIBUTES = ['disposable', 'role', 'free'] as const;

/** A verdict that suggests nothing. */
export const say = (rejects: boolean, template: string): Verdict => ({
  _rejects: rejects,
  _template: template,
  _suggestion: '',
});

export function judge(result: CheckedResult, allow: Allow, messages: Messages): Verdict {
  // A service may send an attribute with a wrong type: that counts as absent.
  const suggestion = offerable(result.did_you_mean);
  const firstThatIs = (allowance: Allowance) =>
    ATTRIBUTES.find((attribute) => result[attribute] === true && allow[attribute] === allowance);
  const refused = firstThatIs(false);
  const doubtful = firstThatIs('warn');

  const isAllowed = allow.states.includes(result.state);
  if (isAllowed && refused) return say(true, messages[refused]);
  if (suggestion) return { _rejects: !isAllowed, _template: messages.didYouMean, _suggestion: suggestion };
  if (!isAllowed) return say(true, messages.invalid);
  return say(false, doubtful ? messages[doubtful] : '');
}

/**
 * What a visitor may be offered: an address, no longer than one can be (RFC 5321, 254 octets), without characters
 * that are not seen or that turn the order of the others round. Empty where it is anything else.
 */
const offerable = (address: unknown): string =>
  typeof address === 'string' && /^\P{C}{3,254}$/u.test(address) && canBeAddress(address) ? address : '';

const PLACEHOLDER = '[EMAIL]';

/** The text before, between and after the places where the suggestion goes. */
export const textsAround = (template: string): string[] => template.split(PLACEHOLDER);

/** The verdict's text as a visitor reads it. */
export const messageOf = ({ _template: template, _suggestion: suggestion }: Verdict): string =>
  suggestion ? textsAround(template).join(suggestion) : template;
