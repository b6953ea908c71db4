/** Applies the page's policy to a result: accepts or rejects it, and chooses the text. Pure. */

import { type Allow, type Allowance, ATTRIBUTES } from '../../protocol/policy.ts';
import type { CheckedResult } from '../../protocol/result.ts';
import { isText } from '../../protocol/text.ts';
import { PLACEHOLDER } from '../seam.ts';
import { canBeAddress } from './address.ts';

/** Texts for the visitor. An empty text shows nothing, except `malformed`. It does not change the verdict. */
export interface Messages {
  /** Shown during a verification. @default 'Checking this address…' */
  verifying: string;
  /** Shown if the state is not in `allow.states`. @default 'This address does not seem to exist.' */
  invalid: string;
  /** Shown for a role address. @default 'Please use your own address, not a shared one.' */
  role: string;
  /** Shown for an address of a free provider. @default 'Please use a business address.' */
  free: string;
  /** Shown for an address of a disposable service. @default 'Please use a permanent address.' */
  disposable: string;
  /**
   * Shown if the service suggests another address. `[EMAIL]` becomes a button with that address.
   *
   * @default 'Did you mean [EMAIL]?'
   */
  didYouMean: string;
  /** Shown with `blockOnRateLimit` after the daily limit. @default 'Please try again tomorrow.' */
  rateLimited: string;
  /**
   * Shown for text that cannot be an address, such as `anna@`. If it is empty, the widget shows the browser's own
   * sentence, or `invalid` if the browser has none.
   *
   * @default ''
   */
  malformed: string;
}

export interface Verdict {
  /** Whether the page's `allow` rejects the address. */
  readonly _rejects: boolean;
  /** The text, with `[EMAIL]` in the place of the suggestion. */
  readonly _template: string;
  /** The suggested address, or an empty text. */
  readonly _suggestion: string;
}

/** A verdict without a suggestion. */
export const say = (rejects: boolean, template: string): Verdict => ({
  _rejects: rejects,
  _template: template,
  _suggestion: '',
});

export function judge(result: CheckedResult, allow: Allow, messages: Messages): Verdict {
  // An attribute of a wrong type counts as absent.
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
 * Returns a suggestion if it is safe to show, else an empty text. It must be an address of at most 254 characters
 * (RFC 5321). Characters that are invisible or reverse the order of others are not allowed.
 */
const offerable = (address: unknown): string =>
  isText(address) && /^\P{C}{3,254}$/u.test(address) && canBeAddress(address) ? address : '';

/** The verdict's text as a visitor reads it. */
export const messageOf = ({ _template: template, _suggestion: suggestion }: Verdict): string =>
  suggestion ? template.split(PLACEHOLDER).join(suggestion) : template;
