/** The events a page listens to, as they leave the input. Decides nothing. */

import { bare } from '../../interface/bare.ts';
import type { Answer, Failure } from '../check/request.ts';

/** `detail` of `verified` (interface, section 6.2). */
export interface VerifiedDetail {
  accepted: boolean;
  /** What the visitor is told; may be empty. */
  message: string;
  /** The result's JSON text and the HTTP status it came with; status 0 when the widget itself knew. */
  verificationData: Pick<Answer, 'body' | 'status'>;
}

/** `detail` of `error` (interface, section 6.2). */
export type ErrorDetail = Failure;

/** `detail` of `verifying`. */
export interface VerifyingDetail {
  /** The address that is about to be asked for. */
  email: string;
}

function fire(input: HTMLInputElement, type: string, detail: object, bubbles: boolean, cancelable = false) {
  return input.dispatchEvent(new CustomEvent(type, bare({ bubbles, cancelable, composed: true, detail })));
}

export const fireVerified = (input: HTMLInputElement, detail: VerifiedDetail) =>
  fire(input, 'verified', detail, true);

/** Does not bubble: it would reach `window.onerror`, and error trackers would report it as an exception. */
export const fireError = (input: HTMLInputElement, detail: ErrorDetail) =>
  fire(input, 'error', detail, false);

/** @returns false when the page wants this address left alone */
export const fireVerifying = (input: HTMLInputElement, detail: VerifyingDetail) =>
  fire(input, 'verifying', detail, true, true);
