/**
 * The documented verification result (interface, section 2.1), and the guard that tells it from anything
 * else a server may answer. Shared by the widget and the service; knows nothing of either.
 */

import { bare } from './bare.ts';
import { jsonIn } from './json.ts';

/** Every `state` a result can carry (interface, section 3.1). */
export const STATES = ['deliverable', 'undeliverable', 'risky', 'unknown'] as const;
/**
 * Whether mail to the address arrives (interface, section 3.1).
 *
 * @useDeclaredType
 */
export type State = (typeof STATES)[number];

/** Every `reason` a result can carry: the keys of `reason_counts` (interface, section 2.2). */
export const REASONS = [
  'accepted_email',
  'invalid_domain',
  'invalid_email',
  'invalid_smtp',
  'low_deliverability',
  'low_quality',
  'no_connect',
  'rejected_email',
  'timeout',
  'unavailable_smtp',
  'unexpected_error',
] as const;
/**
 * Why the state is what it is (interface, section 2.2).
 *
 * @useDeclaredType
 */
export type Reason = (typeof REASONS)[number];

/** What the service says of one address (interface, section 2.1). */
export interface VerificationResult {
  /** The server takes every address, valid or not; `null` when that was not checked. */
  accept_all: boolean | null;
  /** A whole address that was probably meant. */
  did_you_mean: string | null;
  /** Hosted by a disposable or temporary service. */
  disposable: boolean;
  /** The domain of the address. */
  domain: string;
  /** Seconds spent verifying. */
  duration: number;
  /** The address that was verified. */
  email: string;
  /** Possible first name of the user. */
  first_name: string | null;
  /** Hosted by a free email provider. */
  free: boolean;
  /** Possible full name of the user. */
  full_name: string | null;
  /** Possible gender of the user. */
  gender: string | null;
  /** Possible last name of the user. */
  last_name: string | null;
  /** The mailbox is full, and delivery may fail. */
  mailbox_full: boolean;
  /** The mail server that was asked; empty when none was. */
  mx_record: string;
  /** The address says that it is not to be replied to. */
  no_reply: boolean;
  /** Why `state` is what it is. */
  reason: Reason;
  /** A role address, such as support or info. */
  role: boolean;
  /** 0 undeliverable, 1–79 risky, 80–100 deliverable. */
  score: number;
  /** Who runs the mail server of the domain. */
  smtp_provider: string | null;
  /** Whether mail to the address arrives. */
  state: State;
  /** What follows the first plus sign of the local part. */
  tag: string | null;
  /** The local part without its tag. */
  user: string;
}

/**
 * An answer that is certain to carry one of the four states. Nothing else about it is certain: a service may
 * leave an attribute out or send it with a wrong type, and the reader treats that as absent.
 */
export type CheckedResult = { readonly state: State } & Readonly<Record<string, unknown>>;

/**
 * Reads the text of a 200 answer.
 *
 * @returns the result, or `undefined` for what is no JSON object or has none of the four states
 */
export function parseResult(text: string): CheckedResult | undefined {
  // What is no object leaves this one empty.
  const own = bare(jsonIn(text) as CheckedResult);
  return STATES.includes(own.state) ? own : undefined;
}
