/**
 * One input's life, from the first touch to its release: joins the steps, and is the only file that knows them
 * all. What it decides is in check/ and field-state.ts, what it does to the page is in effects/.
 */

import { browser } from './browser.ts';
import { addressesIn, canBeAddress, distinct, isMultiple } from './check/address.ts';
import type { Answers, Inquiry } from './check/answers.ts';
import { unusable } from './check/local-answer.ts';
import { formOpinion, type Part } from './check/opinion.ts';
import { messageOf, say } from './check/policy.ts';
import { type Answer, askService, type CaptchaToken, type Failure, isAnswer } from './check/request.ts';
import { type Appearance, createAppearance } from './effects/appearance.ts';
import { dispatch, type ErrorDetail, fire, type VerifiedDetail } from './effects/events.ts';
import { isReachable } from './effects/reach.ts';
import type { Judged, Submissions } from './effects/submission.ts';
import { isExempt } from './effects/submission-rules.ts';
import { createValidity, SILENT, type Validity } from './effects/validity.ts';
import { type FieldState, isPending, type Opinion, transition, UNJUDGED } from './field-state.ts';
import type { Options } from './options.ts';
import { typeIn } from './prototypes.ts';

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

/** A part, and the request for it while that is under way. */
interface AskedPart extends Part {
  _inquiry?: Inquiry | undefined;
}

/** Why an address is asked for: `debug` shows it. */
export type Cause = 'delay' | 'left' | 'submission' | 'call' | 'script' | 'suggestion';

const RATE_LIMITED = 429;

/** A verdict that comes sooner needs no "Checking…": two messages in a moment would be restless. */
const PATIENCE_MS = 300;

/** One object for each input, with the functions in common: a page may have hundreds of fields. */
export class Field implements Judged {
  private readonly _appearance: Appearance;
  private readonly _validity: Validity;
  _state = UNJUDGED;
  /** The value last looked at: what is found changed when the field is left was changed without an event. */
  private _seen: string;
  /** The timer that runs until typing has stopped. */
  private _delay?: number;
  /** The timer that runs until the visitor is to read that the address is being checked. */
  private _patience?: number;
  /** What the standing verdict was formed from: the answers, and the browser's own sentence if it has one. */
  private _parts!: Part[];
  private _sentence = '';
  /** What is being asked; a later question, an edit or a release puts another list in its place. */
  private _asked: AskedPart[] = [];
  private _question: Promise<Detail> | undefined;
  private _isSlow?: boolean;
  /** Whether a script has changed the value while it was verified, since the visitor did. */
  private _isTidied?: boolean;
  private _isBegun?: boolean;
  private _isReleased?: boolean;

  constructor(
    readonly _input: HTMLInputElement,
    private readonly _site: Site,
  ) {
    this._appearance = createAppearance(this);
    this._validity = createValidity(_input);
    this._seen = this._text();
    // Not within the visitor's own click or key: that is answered first.
    browser.setTimeout(() => {
      this._isBegun = true;
      this._show();
    }, 0);
  }

  private _text() {
    return this._input.value.trim();
  }

  private _options() {
    return this._site._optionsFor(this._input);
  }

  private _go(next: FieldState) {
    browser.clearTimeout(this._delay);
    this._state = transition(this._state, next);
    this._show();
  }

  /** Whatever is under way no longer counts. */
  private _interrupt() {
    for (const { _inquiry: inquiry } of this._asked) inquiry?._cancel();
    this._asked = [];
    this._question = undefined;
    browser.clearTimeout(this._patience);
    this._isSlow = false;
  }

  /** The value may have changed: whatever was known of another value is void at once. */
  _changed() {
    const { _state: state } = this;
    const value = this._text();
    this._seen = value;
    if (state._subject === value) return;
    this._interrupt();
    this._site._submissions._drop(this._input.form);
    this._isTidied = false;
    const next: FieldState = { _phase: 'waiting', _subject: value };
    // While the visitor types on, nothing that can be seen changes.
    if (value && state._phase === 'waiting' && !state._closed) this._state = next;
    else this._go(next);
    this._wait();
  }

  /** Until typing has stopped. */
  _wait() {
    const { verifyOn, verifyAfterDelay } = this._options();
    browser.clearTimeout(this._delay);
    if (this._state._phase === 'waiting' && (this._isTidied || verifyOn === 'input')) {
      this._delay = browser.setTimeout(() => this._judge('delay'), verifyAfterDelay);
    }
  }

  _look() {
    const value = this._text();
    const { _state: state } = this;
    const { _phase: phase } = state;
    if (state._subject === value || state === UNJUDGED) {
      // The page may have changed the options, or set or cleared a custom validity of its own meanwhile.
      if (state._verdict ?? state._failure) this._decide(value, state);
      else this._show();
    } else {
      this._seen = value;
      this._interrupt();
      this._go(isPending(state) ? { _phase: 'waiting', _subject: value } : UNJUDGED);
      // A page that tidies up what is being verified does not take back the visitor's wish to have it judged. One
      // that does so again and again waits like somebody who types.
      const isFirst = phase === 'verifying' && !this._isTidied;
      this._isTidied ||= isFirst;
      if (isFirst) void this._judge('script');
      else this._wait();
    }
    return this._state !== UNJUDGED;
  }

  /** The visitor is through with the field: typing has stopped. */
  _settle() {
    const { _phase: phase } = this._state;
    this._look();
    // Changed without an event; or by a page that has tidied up what had its verdict.
    if (this._text() !== this._seen || phase !== this._state._phase) this._changed();
    if (this._state._phase === 'waiting' && this._options().verifyOn !== 'submit') void this._judge('left');
  }

  _attempt() {
    this._look();
    // Nobody waits for an input that can't be reached, nor could anybody correct it.
    if (this._options().formValidation && !isReachable(this._input)) return;
    if (/unjudged|waiting|error/.test(this._state._phase)) void this._judge('submission');
  }

  /** Judges the present value now. */
  _judge(cause: Cause): Promise<Detail> {
    const value = this._text();
    // A listener that asks again while it is being told of the question gets nothing.
    const nothing = Promise.resolve(null);
    // The page may have disabled it, or taken it away, since it was typed in.
    if (!this._site._fieldOf(this._input)) return nothing;
    if (this._question && this._state._subject === value) return this._question;
    this._interrupt();
    this._seen = value;
    if (this._state._subject !== value) this._go({ _phase: 'waiting', _subject: value });
    this._question = nothing;
    browser.explain(this._input, cause);
    const answer = this._findOut(value);
    // What is known already has been concluded by now.
    if (this._question === nothing) this._question = answer;
    return answer;
  }

  private async _findOut(value: string): Promise<Detail> {
    const { _input: input, _site: site } = this;
    const { _answers: answers } = site;
    const all: Part[] = distinct(addressesIn(value, isMultiple(input))).map((address) => ({
      _address: address,
      _outcome: canBeAddress(address) ? answers._recall(address) : unusable(address),
    }));
    // What cannot be an address decides for the whole list: asking for the others would spend verifications.
    const isDecided =
      this._opinionOf(all)?._rejects && all.some(({ _outcome: outcome }) => outcome?.status === 0);
    const ours: AskedPart[] = [];
    this._asked = ours;
    for (const part of isDecided ? [] : all) {
      if (!part._outcome && fire(input, 'verifying', { email: part._address })) ours.push(part);
      // A listener may have changed the value, or taken the widget away.
      if (this._asked !== ours) return null;
    }
    if (ours.length) {
      const options = this._options();
      const captchaToken = site._captchaToken(input);
      for (const part of ours) {
        part._inquiry = answers._ask(part._address, () => askService(part._address, options, captchaToken));
      }
      this._patience = browser.setTimeout(() => {
        this._isSlow = true;
        this._show();
      }, PATIENCE_MS);
      this._go({ _phase: 'verifying', _subject: value });
      for (const part of ours) {
        part._outcome = await part._inquiry?._outcome;
        // The parts stay as long as their verdict does: the request and all that it holds do not.
        part._inquiry = undefined;
        if (this._asked !== ours) return null;
      }
      this._look();
      // Who still listens to an input that has gone is told no more.
      if (!input.isConnected) this._forget();
      if (this._asked !== ours) return null;
    }
    this._interrupt();
    this._isTidied = false;
    this._parts = all;
    this._sentence = this._validity._nativeMessage();
    return this._decide(value);
  }

  /**
   * Forms the field's state from what is known, by the options that hold now. The page hears of it unless it says
   * the same as the state before.
   */
  private _decide(value: string, before?: FieldState): Detail {
    const { _parts: parts } = this;
    let verdict = this._opinionOf(parts);
    let failure = parts.find(({ _outcome: outcome }) => outcome && !isAnswer(outcome))?._outcome as
      | Failure
      | undefined;
    // For a rejection, no other address's answer is needed.
    if (verdict?._rejects) failure = undefined;
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
      phase === before?._phase && (!verdict || messageOf(verdict) === messageOf(before._verdict as Opinion));
    // A held submission looks at its fields, too: what is not new must not wake it, or the two would go round.
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
    const about = this._state._verdict?._about;
    const list = addressesIn(this._text(), isMultiple(input)).map((address) =>
      address === about ? suggestion : address,
    );
    typeIn(input, list.join(', '));
    // Not `new Event`: pages about concerts have an Event of their own.
    dispatch(input, 'input', { bubbles: true, composed: true });
    if (this._state._phase === 'waiting') void this._judge('suggestion');
    dispatch(input, 'change', { bubbles: true });
  }

  _isBlocking() {
    return !!this._state._verdict?._rejects;
  }

  _isClosed() {
    return !!this._state._closed && this._validity._isOurs();
  }

  _guards() {
    const { form } = this._input;
    return this._options().formValidation && isReachable(this._input) && !(form && isExempt(form));
  }

  /**
   * Brings the page in line with the state: the validity first, which the form depends on.
   *
   * @param isLifted takes the validity away for once
   */
  _show(isLifted?: boolean) {
    if (this._isReleased) return;
    const { _site: site, _state: state } = this;
    const options = this._options();
    const { messages } = options;
    const { _phase: phase, _verdict: verdict, _closed: closed } = state;
    const blocking = this._isBlocking();
    const verifying = say(true, messages.verifying);
    const said = verdict ?? say(false, '');

    let message = '';
    if ((blocking || closed) && !isLifted && this._guards())
      message = messageOf(closed ? verifying : said) || SILENT;
    this._validity._say(message);
    try {
      const isWaitedFor =
        phase === 'verifying' && (this._isSlow || site._submissions._isHolding(this._input.form));
      this._appearance._show(isWaitedFor ? verifying : said, state, blocking, options, this._isBegun);
    } catch (error) {
      // The page has replaced something that this takes. Events and submissions go on without it.
      site._warn(`status: ${error}`);
    }
  }

  _close(isClosed: boolean) {
    if (isPending(this._state)) this._state = { ...this._state, _closed: isClosed };
    this._show();
  }

  /** Nothing is known any more. */
  _forget() {
    this._interrupt();
    this._seen = this._text();
    this._go(UNJUDGED);
  }

  /** The page is being left: what is asked is given up, and asked again should the visitor come back. */
  _suspend() {
    const { _phase: phase, _subject: subject } = this._state;
    if (phase !== 'verifying') return;
    this._interrupt();
    this._go({ _phase: 'waiting', _subject: subject });
  }

  /** Takes everything back. */
  _release() {
    this._forget();
    this._isReleased = true;
    this._appearance._takeAway();
  }
}

function detailOf(verdict: Opinion): VerifiedDetail {
  const { body, status } = verdict._answer as Answer;
  return { accepted: !verdict._rejects, message: messageOf(verdict), verificationData: { body, status } };
}
