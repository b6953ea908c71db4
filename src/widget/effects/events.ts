/** Fires the events that a page listens to. */

import { bare } from '../../protocol/bare.ts';
import type { Failure } from '../check/request.ts';

/** The `detail` of `verified`. */
export interface VerifiedDetail {
  /** Whether the page's `allow` accepts the address. */
  accepted: boolean;
  /** The text for the visitor. Empty if there is nothing to say. */
  message: string;
  /** The response of the service. */
  verificationData: {
    /** The result as JSON text. */
    readonly body: string;
    /** The HTTP status, or 0 for text that cannot be an address, which is rejected without a request. */
    readonly status: number;
    /** The service's signed proof of the result, or `null` if it sent none. */
    readonly proof: string | null;
  };
}

/** The `detail` of `error`. */
export type ErrorDetail = Failure;

/** The `detail` of `verifying`. */
export interface VerifyingDetail {
  /** The address that the widget is about to verify. */
  email: string;
}

interface Details {
  verifying: VerifyingDetail;
  verified: VerifiedDetail;
  error: ErrorDetail;
}

/** @returns `false` if a listener called `preventDefault()` */
export const dispatch = (input: HTMLInputElement, type: string, init: CustomEventInit) =>
  input.dispatchEvent(new CustomEvent(type, bare(init)));

/**
 * Fires one of the three events. `error` does not bubble: it would reach `window.onerror`, and error trackers would
 * report it as an exception. Only `verifying` can be cancelled, to skip an address.
 */
export const fire = <T extends keyof Details>(input: HTMLInputElement, type: T, detail: Details[T]) =>
  dispatch(input, type, {
    bubbles: type !== 'error',
    cancelable: type === 'verifying',
    detail,
    composed: true,
  });
