/**
 * One input's life, from the first touch to its release: joins the steps, and is the only file that knows them
 * all. What it decides is in check/ and field-state.ts, what it does to the page is in effects/.
 */

import { browser } from './browser.ts';
import { addressesIn, canBeAddress, distinct } from './check/address.ts';
import type { Answers, Inquiry } from './check/answers.ts';
import { unusable } from './check/local-answer.ts';
import { formOpinion, type Part } from './check/opinion.ts';
import { messageOf, say } from './check/policy.ts';
import { askService, type CaptchaToken, type Failure, isAnswer } from './check/request.ts';
import { createAppearance } from './effects/appearance.ts';
import { dispatch, type ErrorDetail, fire, type VerifiedDetail } from './effects/events.ts';
import { isReachable } from './effects/reach.ts';
import type { Judged, Submissions } from './effects/submission.ts';
import { isExempt } from './effects/submission-rules.ts';
import { createValidity, SILENT } from './effects/validity.ts';
import { type FieldState, isPending, type Opinion, transition, UNJUDGED } from './field-state.ts';
import type { Options } from './options.ts';
import { typeIn } from './prototypes.ts';
import { createTimer } from './timer.ts';

/** What a field needs of the widget it belongs to. */
export interface Site {
  readonly _answers: Answers;
  readonly _submissions: Submissions;
  /** The field of an input, if it is monitored. */
  _fieldOf(input: HTMLInputElement): Field | undefined;
  /** The options that hold for an input now, its own overrides and its form's included. */
  _optionsFor(input: HTMLInputElement): Options;
  /** Where `captcha_response` comes from, for one try. */
  _captchaToken(input: HTMLInputElement): CaptchaToken | undefined;
  /** Tells the page's author, once. */
  _warn(message: string): void;
}

/** What `verify()` promises: the `detail` of the event, or `null` when there was nothing to verify. */
export type Detail = VerifiedDetail | ErrorDetail | null;

export interface Field extends Judged {
  /** The value may have changed: whatever was known of another value is void at once. */
  _changed(): void;
  /** The visitor is through with the field: typing has stopped. */
  _settle(): void;
  /** Judges the present value now. */
  _verify(): Promise<Detail>;
  /** Options have changed, or the page is shown again. */
  _refresh(): void;
  /** Nothing is known any more. */
  _forget(): void;
  /** The page is being left: what is asked is given up, and asked again should the visitor come back. */
  _suspend(): void;
  /** Takes everything back. */
  _release(): void;
}

/** A part, and the request for it while that is under way. */
interface AskedPart extends Part {
  _inquiry?: Inquiry | undefined;
}

/** Why an address is asked for: `debug` shows it. */
export type Cause = 'delay' | 'left' | 'submission' | 'call' | 'script' | 'suggestion';

const RATE_LIMITED = 429;

/** A verdict that comes sooner needs no "Checking…": two messages in a moment would be restless. */
const PATIENCE_MS = 300;

export function createField(input: HTMLInputElement, site: Site): Field {
  const { _answers: answers, _submissions: submissions } = site;
  const validity = createValidity(input);
  const appearance = createAppearance(input, takeSuggestion);
  /** Runs until typing has stopped. */
  const delay = createTimer(() => judge('delay'));
  /** Runs until the visitor is to read that the address is being checked. */
  const patience = createTimer(() => {
    isSlow = true;
    show();
  });

  let state: FieldState = UNJUDGED;
  /** The value last looked at: what is found changed when the field is left was changed without an event. */
  let seen: string;
  /** What the standing verdict was formed from: the answers, and the browser's own sentence if it has one. */
  let parts: Part[] = [];
  let sentence = '';
  /** What is being asked; a later question, an edit or a release puts another list in its place. */
  let asked: AskedPart[] = [];
  let question: Promise<Detail> | undefined;
  let isSlow = false;
  /** Whether a script has changed the value while it was verified, since the visitor did. */
  let isTidied = false;
  let isBegun = false;
  let isReleased = false;

  const text = () => input.value.trim();
  const options = () => site._optionsFor(input);
  const isMultiple = () => input.type === 'email' && input.multiple;

  function go(next: FieldState) {
    delay._stop();
    state = transition(state, next);
    show();
  }

  /** Whatever is under way no longer counts. */
  function interrupt() {
    for (const { _inquiry: inquiry } of asked) inquiry?._cancel();
    asked = [];
    question = undefined;
    patience._stop();
    isSlow = false;
  }

  function changed() {
    seen = text();
    if (state._subject === seen) return;
    interrupt();
    submissions._drop(input.form);
    isTidied = false;
    const next: FieldState = { _phase: 'waiting', _subject: seen };
    // While the visitor types on, nothing that can be seen changes.
    if (seen && state._phase === 'waiting' && !state._closed) state = next;
    else go(next);
    wait();
  }

  /** Until typing has stopped. */
  function wait() {
    const { verifyOn, verifyAfterDelay } = options();
    if (state._phase === 'waiting' && (isTidied || verifyOn === 'input')) delay._start(verifyAfterDelay);
    else delay._stop();
  }

  function look() {
    const value = text();
    if (state._subject === value || state === UNJUDGED) {
      // The page may have changed the options, or set or cleared a custom validity of its own meanwhile.
      if (state._verdict ?? state._failure) decide(value, state);
      else show();
    } else {
      seen = value;
      const { _phase: phase } = state;
      interrupt();
      go(isPending(state) ? { _phase: 'waiting', _subject: value } : UNJUDGED);
      // A page that tidies up what is being verified does not take back the visitor's wish to have it judged. One
      // that does so again and again waits like somebody who types.
      const isFirst = phase === 'verifying' && !isTidied;
      isTidied ||= isFirst;
      if (isFirst) void judge('script');
      else wait();
    }
    return state !== UNJUDGED;
  }

  function settle() {
    const { _phase: phase } = state;
    look();
    // Changed without an event; or by a page that has tidied up what had its verdict.
    if (text() !== seen || phase !== state._phase) changed();
    if (state._phase === 'waiting' && options().verifyOn !== 'submit') void judge('left');
  }

  function attempt() {
    look();
    // Nobody waits for an input that can't be reached, nor could anybody correct it.
    if (options().formValidation && !isReachable(input)) return;
    if (/unjudged|waiting|error/.test(state._phase)) void judge('submission');
  }

  function judge(cause: Cause): Promise<Detail> {
    const value = text();
    // A listener that asks again while it is being told of the question gets nothing.
    const nothing = Promise.resolve(null);
    // The page may have disabled it, or taken it away, since it was typed in.
    if (!site._fieldOf(input)) return nothing;
    if (question && state._subject === value) return question;
    interrupt();
    seen = value;
    if (state._subject !== value) go({ _phase: 'waiting', _subject: value });
    question = nothing;
    browser.explain(input, cause);
    const answer = findOut(value);
    // What is known already has been concluded by now.
    if (question === nothing) question = answer;
    return answer;
  }

  async function findOut(value: string): Promise<Detail> {
    const all: Part[] = distinct(addressesIn(value, isMultiple())).map((address) => ({
      _address: address,
      _outcome: canBeAddress(address) ? answers._recall(address) : unusable(address),
    }));
    // What cannot be an address decides for the whole list: asking for the others would spend verifications.
    if (opinionOf(all)?._rejects && all.some(({ _outcome: outcome }) => outcome?.status === 0)) {
      return conclude(value, all);
    }

    const ours: AskedPart[] = [];
    asked = ours;
    for (const part of all) {
      if (!part._outcome && fire(input, 'verifying', { email: part._address })) ours.push(part);
      // A listener may have changed the value, or taken the widget away.
      if (asked !== ours) return null;
    }
    if (ours.length) {
      const current = options();
      const captchaToken = site._captchaToken(input);
      for (const part of ours) {
        part._inquiry = answers._ask(part._address, () => askService(part._address, current, captchaToken));
      }
      patience._start(PATIENCE_MS);
      go({ _phase: 'verifying', _subject: value });
      for (const part of ours) {
        part._outcome = await part._inquiry?._outcome;
        // The parts stay as long as their verdict does: the request and all that it holds do not.
        part._inquiry = undefined;
        if (asked !== ours) return null;
      }
      look();
      // Who still listens to an input that has gone is told no more.
      if (!input.isConnected) field._forget();
      if (asked !== ours) return null;
    }
    return conclude(value, all);
  }

  /** Turns outcomes into the field's state and the page's event. */
  function conclude(value: string, outcomes: Part[]): Detail {
    interrupt();
    isTidied = false;
    parts = outcomes;
    sentence = validity._nativeMessage();
    return decide(value);
  }

  /**
   * Forms the field's state from what is known, by the options that hold now. The page hears of it unless it says
   * the same as the state before.
   */
  function decide(value: string, before?: FieldState): Detail {
    let verdict = opinionOf(parts);
    let failure = parts.find(({ _outcome: outcome }) => outcome && !isAnswer(outcome))?._outcome as
      | Failure
      | undefined;
    // For a rejection, no other address's answer is needed.
    if (verdict?._rejects) failure = undefined;
    if (failure) verdict = undefined;
    const phase = failure ? 'error' : !verdict ? 'skipped' : verdict._rejects ? 'rejected' : 'accepted';
    go({ _phase: phase, _subject: value, _failure: failure, _verdict: verdict });
    const saysTheSame =
      phase === before?._phase && (!verdict || messageOf(verdict) === messageOf(before._verdict as Opinion));
    // A held submission looks at its fields, too: what is not new must not wake it, or the two would go round.
    if (saysTheSame) return null;
    const detail = failure ?? (verdict ? detailOf(verdict) : null);
    if (detail) fire(input, failure ? 'error' : 'verified', detail);
    submissions._settled();
    return detail;
  }

  const detailOf = (verdict: Opinion): VerifiedDetail => {
    const { body, status } = verdict._answer;
    return { accepted: !verdict._rejects, message: messageOf(verdict), verificationData: { body, status } };
  };

  function opinionOf(all: Part[]): Opinion | undefined {
    const { allow, messages } = options();
    return formOpinion(all, allow, messages, isMultiple(), sentence);
  }

  function refresh() {
    look();
    wait();
  }

  function takeSuggestion(suggestion: string) {
    const about = state._verdict?._about;
    const list = addressesIn(text(), isMultiple()).map((address) =>
      address === about ? suggestion : address,
    );
    typeIn(input, list.join(', '));
    // Not `new Event`: pages about concerts have an Event of their own.
    dispatch(input, 'input', { bubbles: true, composed: true });
    if (state._phase === 'waiting') void judge('suggestion');
    dispatch(input, 'change', { bubbles: true });
  }

  function isRateLimited() {
    return state._failure?.status === RATE_LIMITED && options().blockOnRateLimit;
  }

  const isBlocking = () => state._phase === 'rejected' || isRateLimited();

  function guards() {
    const { form } = input;
    return options().formValidation && isReachable(input) && !(form && isExempt(form));
  }

  /**
   * Brings the page in line with the state: the validity first, which the form depends on.
   *
   * @param isLifted takes the validity away for once
   */
  function show(isLifted?: boolean) {
    if (isReleased) return;
    const current = options();
    const { messages } = current;
    const { _phase: phase, _verdict: verdict, _closed: closed } = state;
    const blocking = isBlocking();
    const verifying = say(true, messages.verifying);
    const said = isRateLimited() ? say(true, messages.rateLimited) : (verdict ?? say(false, ''));

    let message = '';
    if ((blocking || closed) && !isLifted && guards())
      message = messageOf(closed ? verifying : said) || SILENT;
    validity._say(message);
    try {
      const isWaitedFor = phase === 'verifying' && (isSlow || submissions._isHolding(input.form));
      appearance._show(isWaitedFor ? verifying : said, state, blocking, current, isBegun);
    } catch (error) {
      // The page has replaced something that this takes. Events and submissions go on without it.
      site._warn(`status: ${error}`);
    }
  }

  function close(isClosed: boolean) {
    if (isPending(state)) state = { ...state, _closed: isClosed };
    show();
  }

  const field: Field = {
    _input: input,
    _guards: guards,
    _isPending: () => isPending(state),
    _isBlocking: isBlocking,
    _isClosed: () => !!state._closed && validity._isOurs(),
    _attempt: attempt,
    _report: () => input.reportValidity(),
    _show: show,
    _changed: changed,
    _settle: settle,
    _look: look,
    _verify: () => judge('call'),
    _close: close,
    _refresh: refresh,
    _forget() {
      interrupt();
      seen = text();
      go(UNJUDGED);
    },
    _suspend() {
      const { _phase: phase, _subject: subject } = state;
      if (phase !== 'verifying') return;
      interrupt();
      go({ _phase: 'waiting', _subject: subject });
    },
    _release() {
      interrupt();
      go(UNJUDGED);
      isReleased = true;
      appearance._takeAway();
    },
  };

  seen = text();
  // Not within the visitor's own click or key: that is answered first.
  browser.setTimeout(() => {
    if (isReleased) return;
    isBegun = true;
    show();
  }, 0);
  return field;
}
