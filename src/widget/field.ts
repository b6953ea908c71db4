/**
 * One input, from the visitor's first touch to its release. This is the only file that knows all steps: check/ and
 * field-state.ts decide, effects/ changes the page.
 */

import { browser } from './browser.ts';
import { addressesIn, canBeAddress, distinct, isMultiple } from './check/address.ts';
import type { Answers, Inquiry } from './check/answers.ts';
import { unusable } from './check/local-answer.ts';
import { formOpinion, type Part } from './check/opinion.ts';
import { messageOf, say } from './check/policy.ts';
import {
  type Answer,
  askService,
  type CaptchaToken,
  type Failure,
  isAnswer,
  type Outcome,
} from './check/request.ts';
import { type Appearance, createAppearance } from './effects/appearance.ts';
import { dispatch, type ErrorDetail, fire, type VerifiedDetail } from './effects/events.ts';
import { isReachable } from './effects/reach.ts';
import type { Judged, Submissions } from './effects/submission.ts';
import { isExempt } from './effects/submission-rules.ts';
import { createValidity, SILENT, type Validity } from './effects/validity.ts';
import { type FieldState, isPending, type Opinion, transition, UNJUDGED } from './field-state.ts';
import type { Options } from './options.ts';
import { typeIn } from './prototypes.ts';
import type { Face } from './seam.ts';

/** The part of the widget that a field uses. */
export interface Site {
  readonly _answers: Answers;
  readonly _submissions: Submissions;
  /** The field of an input, if it is monitored. */
  _fieldOf(input: HTMLInputElement): Field | undefined;
  /** The current options of an input, with its own overrides and its form's. */
  _optionsFor(input: HTMLInputElement): Options;
  /** What shows the status. The first call loads it. Once it is there, all fields are shown again. */
  _face(): Face | undefined;
  /** A function that gives a captcha token, or an empty text without a captcha. */
  _captchaToken(input: HTMLInputElement): CaptchaToken | '';
  /** Prints a warning in the console, once. */
  _warn(message: string): void;
}

/** The result of `verify()`: the `detail` of the event, or `null` if there was nothing to verify. */
export type Detail = VerifiedDetail | ErrorDetail | null;

/** A part with its open request. */
interface AskedPart extends Part {
  _inquiry?: Inquiry | undefined;
}

/** Why an address is verified. `debug` shows it. */
export type Cause = 'delay' | 'left' | 'submission' | 'call' | 'script' | 'suggestion';

const RATE_LIMITED = 429;

/** "Checking…" appears after this time. Before a quick verdict, it would only flash. */
const PATIENCE_MS = 300;

/** One input in use. */
export interface Field extends Judged {
  /** The value may have changed. A verdict for another value is void at once. */
  _changed(): void;
  /** Waits until typing has stopped, then verifies. */
  _wait(): void;
  /** The visitor has left the field: typing has stopped. */
  _settle(): void;
  /**
   * Verifies the current value now.
   *
   * @param renewsAt the time, to ask for results again whose proof ends soon. They stand if there is no other
   */
  _judge(cause: Cause, renewsAt?: number): Promise<Detail>;
  /** Forgets the verdict. */
  _forget(): void;
  /** The visitor leaves the page: aborts the request, and repeats it if the visitor comes back. */
  _suspend(): void;
  /** Removes everything that the field has added to the page. */
  _release(): void;
}

/**
 * Makes a class, so that fields share their functions: a page may have hundreds of fields. A class with so many
 * functions takes a sixth of the time in which the script starts, so it is made when a visitor first uses an input.
 */
export const createFieldClass = (): (new (input: HTMLInputElement, site: Site) => Field) =>
  class implements Field {
    private readonly _appearance: Appearance;
    private readonly _validity: Validity;
    _state = UNJUDGED;
    /** The last value that the field has seen. A different value was set without an event. */
    private _seen: string;
    /** The timer that runs until typing has stopped. */
    private _delay?: number;
    /** The timer that runs until "Checking…" appears. */
    private _patience?: number;
    /** The results behind the verdict, and the browser's own sentence if it has one. */
    private _parts!: Part[];
    private _sentence = '';
    /** The open requests. A later verification, an edit and a release replace the list. */
    private _asked: AskedPart[] = [];
    private _question: Promise<Detail> | undefined;
    private _isSlow?: boolean;
    _bubble?: Event | undefined;
    /** Whether a script has changed the value during a verification, since the visitor's last change. */
    private _isTidied?: boolean;
    private _isBegun?: boolean;

    constructor(
      readonly _input: HTMLInputElement,
      private readonly _site: Site,
    ) {
      this._appearance = createAppearance(this);
      this._validity = createValidity(_input);
      this._seen = this._text();
      // Later, so that the browser first responds to the visitor's click or key.
      browser._setTimeout(() => {
        this._isBegun = true;
        this._show();
        // The first call has only made the live region.
        this._show();
      });
    }

    private _text() {
      return this._input.value.trim();
    }

    private _options() {
      return this._site._optionsFor(this._input);
    }

    private _go(next: FieldState) {
      browser._clearTimeout(this._delay);
      this._state = transition(this._state, next);
      this._show();
    }

    /** Cancels the verification that is under way. */
    private _interrupt() {
      for (const { _inquiry: inquiry } of this._asked) inquiry?._abort();
      this._asked = [];
      this._question = undefined;
      browser._clearTimeout(this._patience);
      this._isSlow = false;
      this._bubble = undefined;
    }

    _changed() {
      const value = this._text();
      const { _state: state, _seen: seen } = this;
      // Emptying a field without a verdict is an edit, too: it drops a held submission.
      if (state._subject === value && (value || !seen)) return;
      this._seen = value;
      this._interrupt();
      this._site._submissions._drop(this._input.form ?? 1);
      this._isTidied = false;
      const next: FieldState = { _phase: 'waiting', _subject: value };
      // While the visitor types on, the page shows the same, so it is not updated.
      if (value && state._phase === 'waiting' && !state._closed) this._state = next;
      else this._go(next);
      this._wait();
    }

    _wait() {
      const { verifyOn, verifyAfterDelay } = this._options();
      browser._clearTimeout(this._delay);
      if (this._state._phase === 'waiting' && (this._isTidied || verifyOn === 'input')) {
        this._delay = browser._setTimeout(() => this._judge('delay'), verifyAfterDelay);
      }
    }

    _look() {
      const value = this._text();
      const { _state: state } = this;
      const { _phase: phase } = state;
      if (state._subject === value || state === UNJUDGED) {
        // The page may have changed the options or its own custom validity meanwhile.
        if (state._verdict ?? state._failure) this._decide(value, state);
        else this._show();
      } else {
        this._seen = value;
        this._interrupt();
        this._go(isPending(state) ? { _phase: 'waiting', _subject: value } : UNJUDGED);
        // If a script changes a value during its verification, the new value is verified at once. If that happens again,
        // the widget waits, as it does while the visitor types.
        if (phase === 'verifying' && !this._isTidied) {
          this._isTidied = true;
          void this._judge('script');
        } else this._wait();
      }
      return this._state !== UNJUDGED;
    }

    _settle() {
      const { _phase: phase } = this._state;
      this._look();
      // A script changed the value without an event, maybe after its verdict.
      if (this._text() !== this._seen || phase !== this._state._phase) this._changed();
      if (this._state._phase === 'waiting' && this._options().verifyOn !== 'submit') void this._judge('left');
    }

    _attempt() {
      this._look();
      const { formValidation, proofField } = this._options();
      // Visitors cannot correct an input that they cannot reach, so it holds no submission.
      if (formValidation && !isReachable(this._input)) return;
      if (/unjudged|waiting|error/.test(this._state._phase)) void this._judge('submission');
      const { _subject: subject, _verdict: verdict } = this._state;
      // A list carries no proof.
      if (
        formValidation &&
        proofField &&
        subject === verdict?._address &&
        ((verdict._answer as Answer)._renewable as number) < Date.now()
      )
        void this._judge('submission', Date.now());
    }

    _judge(cause: Cause, renewsAt?: number): Promise<Detail> {
      const value = this._text();
      // If a listener of `verifying` calls `verify()` again, it gets this.
      const nothing = Promise.resolve(null);
      // The page may have disabled or removed the input meanwhile.
      if (!this._site._fieldOf(this._input)) return nothing;
      if (this._question && this._state._subject === value) return this._question;
      this._interrupt();
      this._seen = value;
      if (this._state._subject !== value) this._go({ _phase: 'waiting', _subject: value });
      this._question = nothing;
      browser.explain(this._input, cause);
      const answer = this._findOut(value, renewsAt);
      // A remembered result has ended the question already.
      if (this._question === nothing) this._question = answer;
      return answer;
    }

    private async _findOut(value: string, renewsAt?: number): Promise<Detail> {
      const { _input: input, _site: site } = this;
      const { _answers: answers } = site;
      const all: Part[] = distinct(addressesIn(value, isMultiple(input))).map((address) => ({
        _address: address,
        _outcome: canBeAddress(address) ? answers._recall(address) : unusable(address),
      }));
      // Text that cannot be an address decides for the whole list. Requests for the others would waste verifications.
      const isDecided =
        this._opinionOf(all)?._rejects && all.some(({ _outcome: outcome }) => outcome?.status === 0);
      const ours: AskedPart[] = [];
      this._asked = ours;
      for (const part of isDecided ? [] : all) {
        // Another field may have renewed it meanwhile, and that one may end soon, too.
        const isAsked =
          !part._outcome || ((part._outcome as Answer)._renewable as number) < (renewsAt as number);
        if (isAsked && fire(input, 'verifying', { email: part._address })) ours.push(part);
        // A listener may have changed the value, or removed the widget.
        if (this._asked !== ours) return null;
      }
      if (ours.length) {
        const options = this._options();
        const captchaToken = site._captchaToken(input);
        for (const part of ours) {
          part._inquiry = answers._ask(part._address, () => askService(part._address, options, captchaToken));
        }
        this._patience = browser._setTimeout(() => {
          this._isSlow = true;
          this._show();
        }, PATIENCE_MS);
        this._go({ _phase: 'verifying', _subject: value });
        for (const part of ours) {
          const outcome = (await part._inquiry?._outcome) as Outcome;
          // The parts live as long as their verdict. This frees the memory of the request.
          part._inquiry = undefined;
          if (this._asked !== ours) return null;
          // The visitor does not wait twice for a service that gives no other.
          if (!part._outcome || isAnswer(outcome)) part._outcome = outcome;
          else (part._outcome as Answer)._renewable = undefined;
        }
        this._look();
        // An input that has left the page fires no event.
        if (!input.isConnected) this._forget();
        if (this._asked !== ours) return null;
      }
      this._interrupt();
      this._isTidied = false;
      this._parts = all;
      this._sentence = this._validity._sentence();
      return this._decide(value);
    }

    /**
     * Forms the field's state from the outcomes, by the current options. Fires an event, unless the verdict and its
     * message equal those of the state before.
     */
    private _decide(value: string, before?: FieldState): Detail {
      const { _parts: parts } = this;
      let verdict = this._opinionOf(parts);
      // One rejected address is enough, even if another failed.
      const failure = verdict?._rejects
        ? undefined
        : (parts.find(({ _outcome: outcome }) => outcome && !isAnswer(outcome))?._outcome as
            | Failure
            | undefined);
      if (failure) verdict = undefined;
      const phase = failure ? 'error' : !verdict ? 'skipped' : verdict._rejects ? 'rejected' : 'accepted';
      const { blockOnRateLimit, messages } = this._options();
      this._go({
        _phase: phase,
        _subject: value,
        _failure: failure,
        _verdict:
          failure?.status === RATE_LIMITED && blockOnRateLimit ? say(true, messages.rateLimited) : verdict,
      });
      const saysTheSame =
        phase === before?._phase &&
        (!verdict || messageOf(verdict) === messageOf(before._verdict as Opinion));
      // A held submission calls `_look()` on its fields, too. Without a change, it must not be woken, or both would loop.
      if (saysTheSame) return null;
      const detail = failure ?? (verdict ? detailOf(verdict) : null);
      if (detail) fire(this._input, failure ? 'error' : 'verified', detail);
      this._site._submissions._settled();
      return detail;
    }

    private _opinionOf(all: Part[]): Opinion | undefined {
      const { allow, messages } = this._options();
      return formOpinion(all, allow, messages, isMultiple(this._input), this._sentence);
    }

    _takeSuggestion(suggestion: string) {
      const { _input: input } = this;
      const about = this._state._verdict?._address;
      const list = addressesIn(this._text(), isMultiple(input)).map((address) =>
        address === about ? suggestion : address,
      );
      typeIn(input, list.join(', '));
      // Not `new Event`, because pages may define an `Event` of their own, such as one about concerts.
      dispatch(input, 'input', { bubbles: true, composed: true });
      if (this._state._phase === 'waiting') void this._judge('suggestion');
      dispatch(input, 'change', { bubbles: true });
    }

    _isBlocking() {
      return this._state._verdict?._rejects;
    }

    _isClosed() {
      return this._state._closed && this._validity._isOurs();
    }

    _guards() {
      const { form } = this._input;
      return this._options().formValidation && isReachable(this._input) && !(form && isExempt(form));
    }

    /**
     * Updates the page to the state. The validity comes first, because the form depends on it.
     *
     * @param isLifted removes the validity message this time
     */
    _show(isLifted?: boolean) {
      const { _site: site, _state: state } = this;
      const options = this._options();
      const { messages } = options;
      const { _phase: phase, _verdict: verdict, _closed: closed } = state;
      const isWaitedFor =
        phase === 'verifying' && (this._isSlow || site._submissions._isHolding(this._input.form));
      const said: Opinion = isWaitedFor ? say(true, messages.verifying) : (verdict ?? say(false, ''));

      let message = '';
      if ((closed || this._isBlocking()) && !isLifted && this._guards())
        message = (closed ? messages.verifying : messageOf(said)) || SILENT;
      this._validity._say(message);
      try {
        // Not before the field has begun, so that the live region exists before its first text.
        const face = this._isBegun && site._face();
        this._appearance._show(said, options, face);
      } catch (error) {
        // The page has replaced a function that this needs. Events and submissions still work.
        site._warn(`status: ${error}`);
      }
    }

    _close(isClosed: boolean) {
      if (isPending(this._state)) this._state = { ...this._state, _closed: isClosed };
      this._show();
    }

    _forget() {
      this._interrupt();
      this._seen = this._text();
      this._go(UNJUDGED);
    }

    _suspend() {
      const { _phase: phase, _subject: subject } = this._state;
      if (phase !== 'verifying') return;
      this._interrupt();
      this._go({ _phase: 'waiting', _subject: subject });
    }

    _release() {
      this._forget();
      this._show = () => {};
      this._appearance._release();
    }
  };

function detailOf(verdict: Opinion): VerifiedDetail {
  const { body, status, _proof: proof = null } = verdict._answer as Answer;
  return {
    accepted: !verdict._rejects,
    message: messageOf(verdict),
    verificationData: { body, status, proof },
  };
}
