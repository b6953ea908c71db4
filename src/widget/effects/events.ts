/** The events a page listens to, as they leave the input. Decides nothing. */

import { bare } from '../../interface/bare.ts';
import type { Answer, Failure } from '../check/request.ts';

/** `detail` of `verified` (interface, section 6.2). */
export interface VerifiedDetail {
  /** Whether the page's `allow` takes the address. */
  accepted: boolean;
  /** What the visitor is told; may be empty. */
  message: string;
  /** `body`: the result's JSON text; `status`: HTTP's that it came with, 0 when the widget itself knew. */
  verificationData: Pick<Answer, 'body' | 'status'>;
}

/** `detail` of `error` (interface, section 6.2). */
export type ErrorDetail = Failure;

/** `detail` of `verifying`. */
export interface VerifyingDetail {
  /** The address that is about to be asked for. */
  email: string;
}

interface Details {
  verifying: VerifyingDetail;
  verified: VerifiedDetail;
  error: ErrorDetail;
}

/** @returns false when a listener has called `preventDefault()` */
export const dispatch = (input: HTMLInputElement, type: string, init: CustomEventInit) =>
  input.dispatchEvent(new CustomEvent(type, bare(init)));

/**
 * Fires one of the three. `error` does not bubble: it would reach `window.onerror`, and error trackers would report
 * it as an exception. Only `verifying` can be cancelled: the page wants the address left alone.
 */
export const fire = <T extends keyof Details>(input: HTMLInputElement, type: T, detail: Details[T]) =>
  dispatch(input, type, {
    bubbles: type !== 'error',
    cancelable: type === 'verifying',
    detail,
    composed: true,
  });
