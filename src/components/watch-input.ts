/** What a component knows of its input, from what the widget lets any page see. */

import type { ErrorDetail, VerifiedDetail, VerifyingDetail } from 'email-verify-widget';

/** What to do at the widget's events. Of each, the one from the last rendering is called. */
export interface Listeners {
  /** Before a request; `event.preventDefault()` leaves this address alone. */
  onVerifying?: ((event: CustomEvent<VerifyingDetail>) => void) | undefined;
  /** There is a verdict: `event.detail` is `{ accepted, message, verificationData }`. */
  onVerified?: ((event: CustomEvent<VerifiedDetail>) => void) | undefined;
  /** There is none: `event.detail` is `{ status, message }`. The visitor may go on. */
  onError?: ((event: CustomEvent<ErrorDetail>) => void) | undefined;
}

/** What is known of an input's present value. */
export interface Verdict {
  /** As in the input's `data-email-verify`; `null` while nothing is known. */
  readonly state: 'waiting' | 'verifying' | 'accepted' | 'rejected' | 'error' | null;
  /** What the visitor is told of the verdict; may be empty. */
  readonly message: string;
  /** `null` while there is no verdict. */
  readonly accepted: boolean | null;
  /** Of the event that came with the state; `null` where none did. */
  readonly detail: VerifiedDetail | ErrorDetail | null;
}

export const NOTHING_KNOWN: Verdict = { state: null, message: '', accepted: null, detail: null };

/**
 * Listens to an input.
 *
 * @param tell hears whenever what is known changes; at once only if the widget was here before
 * @returns what ends it
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

  // Not at once: the widget sees a key before the framework does, which would render the input with its old value.
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
  // Of a change, a reset or a wait there is no event.
  const observer = new MutationObserver(lookSoon);
  observer.observe(input, { attributeFilter: ['data-email-verify'] });
  look();

  return () => {
    ended.abort();
    observer.disconnect();
    clearTimeout(timer);
  };
}
