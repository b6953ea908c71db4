/**
 * The documented verification result, and the guard that recognises one in a server's response.
 * The widget and the service share it.
 */

import { bare } from './bare.ts';
import { jsonIn } from './json.ts';

/** Every `state` of a result. */
export const STATES = ['deliverable', 'undeliverable', 'risky', 'unknown'] as const;
/**
 * Whether mail to the address arrives.
 *
 * @useDeclaredType
 */
export type State = (typeof STATES)[number];

/** Every `reason` of a result: the keys of `reason_counts`. */
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
 * The reason for the state. Each reason belongs to one state.
 *
 * @useDeclaredType
 */
export type Reason = (typeof REASONS)[number];

/** The service's result for one address. */
export interface VerificationResult {
  /** Whether the mail server accepts every address; `null` if that was not checked. */
  accept_all: boolean | null;
  /** The suggested address, if the address looks mistyped. */
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
  /** The mail server that was contacted, or an empty text. */
  mx_record: string;
  /** The address says that it should not be replied to. */
  no_reply: boolean;
  /** The reason for `state`. */
  reason: Reason;
  /** A role address, such as support or info. */
  role: boolean;
  /** 0 for undeliverable, 1–79 for risky, 50 for unknown, 80–100 for deliverable addresses. */
  score: number;
  /** The provider that runs the domain's mail server. */
  smtp_provider: string | null;
  /** Whether mail to the address arrives. */
  state: State;
  /** The part of the local part after its first plus sign. */
  tag: string | null;
  /** The local part without its tag. */
  user: string;
}

/**
 * A response with one of the four states. Other properties may be missing or have a wrong type. Readers treat a wrong
 * type as missing.
 */
export type CheckedResult = { readonly state: State } & Readonly<Record<string, unknown>>;

/** Whether an object without a prototype is a result. */
export const isResult = (own: object): own is CheckedResult => STATES.includes((own as CheckedResult).state);

/**
 * Reads the body of a response with status 200.
 *
 * @returns the result, or `undefined` if the body is not a JSON object with one of the four states
 */
export function parseResult(text: string): CheckedResult | undefined {
  // For a value that is not an object, `own` stays empty.
  const own = bare(jsonIn(text) as CheckedResult);
  return isResult(own) ? own : undefined;
}
