/** Watches a component's input through the widget's events and its attribute. */

import type { ErrorDetail, VerifiedDetail, VerifyingDetail } from 'email-verify-widget';

/** Listeners for the widget's events. The functions of the last rendering are called. */
export interface Listeners {
  /** Called before a request. To skip this address, call `event.preventDefault()`. */
  onVerifying?: ((event: CustomEvent<VerifyingDetail>) => void) | undefined;
  /** Called after a verdict: `event.detail` is `{ accepted, message, verificationData }`. */
  onVerified?: ((event: CustomEvent<VerifiedDetail>) => void) | undefined;
  /** Called if there is no verdict: `event.detail` is `{ status, message }`. The visitor can submit the form. */
  onError?: ((event: CustomEvent<ErrorDetail>) => void) | undefined;
}

/** The verdict on an input's current value. */
export interface Verdict {
  /** The value of the input's `data-email-verify`, or `null` if it has none. */
  readonly state: 'waiting' | 'verifying' | 'accepted' | 'rejected' | 'error' | null;
  /** The verdict's text for the visitor. Empty without a verdict, and if there is nothing to say. */
  readonly message: string;
  /** Whether the address is accepted, or `null` without a verdict. */
  readonly accepted: boolean | null;
  /** The `detail` of the last `verified` or `error` event, while its state lasts; otherwise `null`. */
  readonly detail: VerifiedDetail | ErrorDetail | null;
}

export const NOTHING_KNOWN: Verdict = { state: null, message: '', accepted: null, detail: null };

/**
 * Watches an input.
 *
 * @param tell called after each change of the verdict; at once if the input already has a state
 * @returns a function that stops watching
 */
export function watchInput(
  input: HTMLInputElement,
  listeners: () => Listeners,
  tell: (verdict: Verdict) => void,
): () => void {
  let known = NOTHING_KNOWN;
  let heard: Verdict['detail'] = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ended = new AbortController();

  function look() {
    timer = undefined;
    const state = (input.getAttribute('data-email-verify') as Verdict['state']) ?? null;
    const stands = state === 'accepted' || state === 'rejected';
    const detail = stands || state === 'error' ? heard : null;
    if (state === known.state && detail === known.detail) return;
    heard = detail;
    known = {
      state,
      message: stands && detail ? detail.message : '',
      accepted: stands ? state === 'accepted' : null,
      detail,
    };
    tell(known);
  }

  // Later: the widget handles a key before the framework does. A rendering now would restore the input's old value.
  const lookSoon = () => {
    timer ??= setTimeout(look, 0);
  };

  const listen = <Detail>(type: string, hear: (event: CustomEvent<Detail>) => void) =>
    input.addEventListener(type, (event) => hear(event as CustomEvent<Detail>), { signal: ended.signal });
  listen<VerifyingDetail>('verifying', (event) => listeners().onVerifying?.(event));
  listen<VerifiedDetail>('verified', (event) => {
    heard = event.detail;
    lookSoon();
    listeners().onVerified?.(event);
  });
  listen<ErrorDetail>('error', (event) => {
    heard = event.detail;
    lookSoon();
    listeners().onError?.(event);
  });
  // The widget fires no event when the value changes, the form is reset or it starts to wait.
  const observer = new MutationObserver(lookSoon);
  observer.observe(input, { attributeFilter: ['data-email-verify'] });
  look();

  return () => {
    ended.abort();
    observer.disconnect();
    clearTimeout(timer);
  };
}
