/** Which addresses a page accepts, and its server with it. Pure. */

import type { CheckedResult, State } from './result.ts';

/** `true` accepts addresses with an attribute, `'warn'` accepts them with a hint, `false` rejects them. */
export type Allowance = boolean | 'warn';

/** Which addresses are accepted. */
export interface Allow {
  /** Accepted states. @default ['deliverable', 'risky', 'unknown'] */
  states: State[];
  /** Addresses of free providers. @default true */
  free: Allowance;
  /** Role addresses, such as support@ or info@. @default true */
  role: Allowance;
  /** Addresses of disposable services. @default false */
  disposable: Allowance;
}

/** What is accepted without an `allow`. */
export const DEFAULT_ALLOW: Allow = {
  states: ['deliverable', 'risky', 'unknown'],
  free: true,
  role: true,
  disposable: false,
};

/** The attributes that can be allowed or not. The first that matches decides about the text. */
export const ATTRIBUTES = ['disposable', 'role', 'free'] as const;

/** Whether an address is accepted. An attribute of a wrong type counts as absent. */
export const isAllowed = (result: CheckedResult, allow: Allow): boolean =>
  allow.states.includes(result.state) &&
  !ATTRIBUTES.some((attribute) => result[attribute] === true && allow[attribute] === false);
