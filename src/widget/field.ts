/**
 * One input's life, from the first touch to its release: joins the steps, and is the only file that knows them
 * all. What it decides is in check/ and field-state.ts, what it does to the page is in effects/.
 */

import type { Browser } from './browser.ts';
import { addressesIn, canBeAddress, distinct } from './check/address.ts';
import type { Answers, Inquiry } from './check/answers.ts';
import { unusable } from './check/local-answer.ts';
import { judge as applyPolicy, messageOf, say } from './check/policy.ts';
import { askService, type CaptchaToken, type Failure, isAnswer, type Outcome } from './check/request.ts';
import { lend } from './effects/attributes.ts';
import { dispatch, type ErrorDetail, fire, type VerifiedDetail } from './effects/events.ts';
import { findHome } from './effects/home.ts';
import { createResultField } from './effects/result-field.ts';
import { createStatus, type Status } from './effects/status.ts';
import { isExempt, type Judged, type Submissions } from './effects/submission.ts';
import { createValidity, SILENT } from './effects/validity.ts';
import { type FieldState, isPending, type Opinion, transition, UNJUDGED } from './field-state.ts';
import type { Options } from './options.ts';
import { typeIn } from './prototypes.ts';

/** What a field needs of the widget it belongs to. */
export interface Site {
  readonly browser: Browser;
  readonly answers: Answers;
  readonly submissions: Submissions;
  /** The field of an input, if it is monitored. */
  fieldOf(input: HTMLInputElement): Field | undefined;
  /** The options that hold for an input now, its own overrides and its form's included. */
  optionsFor(input: HTMLInputElement): Options;
  /** Where `captcha_response` comes from, for one try. */
  captchaToken(input: HTMLInputElement): CaptchaToken | undefined;
  /** Something is known or on its way: values that change, and inputs that go, without an event have to be noticed. */
  keepLooking(): void;
}

/** What `verify()` promises: the `detail` of the event, or `null` when there was nothing to verify. */
export type Detail = VerifiedDetail | ErrorDetail | null;

export interface Field extends Judged {
  /** The value may have changed: whatever was known of another value is void at once. */
  changed(): void;
  /** The visitor is through with the field: typing has stopped. */
  settle(): void;
  /** Judges the present value now. */
  verify(): Promise<Detail>;
  /** Options have changed, or the page is shown again. */
  refresh(): void;
  /** Nothing is known any more. */
  forget(): void;
  /** The page is being left: what is asked is given up, and asked again should the visitor come back. */
  suspend(): void;
  /** Takes everything back. */
  release(): void;
}

/** An address's part in the verdict: an outcome, or nothing when the page wants it left alone. */
interface Part {
  address: string;
  inquiry?: Inquiry;
  outcome?: Outcome | undefined;
}

const RATE_LIMITED = 429;

export function createField(input: HTMLInputElement, site: Site): Field {
  const { browser, answers, submissions } = site;
  const validity = createValidity(input);
  const setBusy = lend(input, 'aria-busy');
  const setInvalid = lend(input, 'aria-invalid');
  const setMirror = lend(input, 'data-email-verify');
  const showResult = createResultField();
  let status: Status | undefined;

  let state: FieldState = UNJUDGED;
  /** The value last looked at: what is found changed when the field is left was changed without an event. */
  let seen: string;
  /** What the standing verdict was formed from. */
  let parts: Part[] = [];
  /** The timer that runs until typing has stopped; 0 when there is none. */
  let delay = 0;
  /** When typing went on, if it has since the delay began. */
  let typedAt = 0;
  /** What is being asked; a later question, an edit or a release puts another list in its place. */
  let asked: Part[] = [];
  let question: Promise<Detail> | undefined;
  let released = false;

  const text = () => input.value.trim();
  const options = () => site.optionsFor(input);
  const isMultiple = () => input.type === 'email' && input.multiple;
  const isRendered = () => input.checkVisibility();

  function go(next: FieldState) {
    browser.clearTimeout(delay);
    delay = 0;
    state = transition(state, next);
    site.keepLooking();
    render();
  }

  /** Whatever is under way no longer counts. */
  function interrupt() {
    for (const { inquiry } of asked) inquiry?.cancel();
    asked = [];
    question = undefined;
  }

  function changed() {
    seen = text();
    if (state.subject === seen) return;
    interrupt();
    submissions.drop(input.form);
    const next: FieldState = { phase: 'waiting', subject: seen };
    // While the visitor types on, nothing that can be seen changes.
    if (seen && state.phase === 'waiting' && !state.closed) state = next;
    else go(next);
    wait();
  }

  /**
   * Until typing has stopped. A key that follows another only puts that off, and has nothing to do but to say so.
   *
   * @param rest milliseconds, if a delay has passed since an earlier key; no more than another delay counts, for the
   * machine's clock may have been set back
   */
  function wait(rest = Infinity) {
    if (delay) {
      typedAt = Date.now();
      return;
    }
    const { verifyOn, verifyAfterDelay } = options();
    if (state.phase !== 'waiting' || verifyOn !== 'input') return;
    typedAt = 0;
    delay = browser.setTimeout(
      () => {
        delay = 0;
        const stillToWait = typedAt && typedAt + options().verifyAfterDelay - Date.now();
        if (stillToWait > 0) wait(stillToWait);
        else void judge();
      },
      Math.min(rest, verifyAfterDelay),
    );
  }

  function look() {
    const value = text();
    if (state.subject === value || state === UNJUDGED) {
      // The page may have set or cleared a custom validity of its own meanwhile.
      render();
    } else {
      seen = value;
      const { phase } = state;
      interrupt();
      go(isPending(state) ? { phase: 'waiting', subject: value } : UNJUDGED);
      // A page that tidies up what is being verified does not take back the visitor's wish to have it judged.
      if (phase === 'verifying') void judge();
      else wait();
    }
    return state !== UNJUDGED;
  }

  function settle() {
    const { phase } = state;
    look();
    // Changed without an event; or by a page that has tidied up what had its verdict.
    if (text() !== seen || phase !== state.phase) changed();
    if (state.phase === 'waiting' && options().verifyOn !== 'submit') void judge();
  }

  function attempt() {
    look();
    // Nobody waits for an input that can't be seen, nor could anybody correct it.
    if (options().formValidation && !isRendered()) return;
    if (/unjudged|waiting|error/.test(state.phase)) void judge();
  }

  function judge(): Promise<Detail> {
    const value = text();
    // A listener that asks again while it is being told of the question gets nothing.
    const nothing = Promise.resolve(null);
    // The page may have disabled it, or taken it away, since it was typed in.
    if (!site.fieldOf(input)) return nothing;
    if (question && state.subject === value) return question;
    interrupt();
    seen = value;
    if (state.subject !== value) go({ phase: 'waiting', subject: value });
    question = nothing;
    const answer = findOut(value);
    // What is known already has been concluded by now.
    if (question === nothing) question = answer;
    return answer;
  }

  async function findOut(value: string): Promise<Detail> {
    const all: Part[] = distinct(addressesIn(value, isMultiple())).map((address) => ({
      address,
      outcome: canBeAddress(address) ? answers.recall(address) : unusable(address),
    }));
    // What cannot be an address decides for the whole list: asking for the others would spend verifications.
    if (formOpinion(all)?.rejects && all.some(({ outcome }) => outcome?.status === 0)) {
      return conclude(value, all);
    }

    const ours: Part[] = [];
    asked = ours;
    for (const part of all) {
      if (!part.outcome && fire(input, 'verifying', { email: part.address })) ours.push(part);
      // A listener may have changed the value, or taken the widget away.
      if (asked !== ours) return null;
    }
    if (ours.length) {
      const current = options();
      const captchaToken = site.captchaToken(input);
      for (const part of ours) {
        part.inquiry = answers.ask(part.address, () =>
          askService(part.address, current, captchaToken, browser),
        );
      }
      go({ phase: 'verifying', subject: value });
      for (const part of ours) {
        part.outcome = await part.inquiry?.outcome;
        if (asked !== ours) return null;
      }
      look();
      // Who still listens to an input that has gone is told no more.
      if (!input.isConnected) field.forget();
      if (asked !== ours) return null;
    }
    return conclude(value, all);
  }

  /** Turns outcomes into the field's state and the page's event. */
  function conclude(value: string, outcomes: Part[]): Detail {
    interrupt();
    parts = outcomes;
    const detail = decide(value);
    submissions.settled();
    return detail;
  }

  /**
   * Forms the field's state from what is known, by the options that hold now. The page hears of it unless it says
   * the same as the state before.
   */
  function decide(value: string, before?: FieldState): Detail {
    let verdict = formOpinion();
    let failure = parts.find(({ outcome }) => outcome && !isAnswer(outcome))?.outcome as Failure | undefined;
    // For a rejection, no other address's answer is needed.
    if (verdict?.rejects) failure = undefined;
    if (failure) verdict = undefined;
    const phase = failure ? 'error' : !verdict ? 'skipped' : verdict.rejects ? 'rejected' : 'accepted';
    go({ phase, subject: value, failure, verdict });
    const saysTheSame =
      phase === before?.phase && (!verdict || messageOf(verdict) === messageOf(before.verdict as Opinion));
    if (saysTheSame) return null;
    if (failure) {
      fire(input, 'error', failure);
      return failure;
    }
    if (!verdict) return null;
    const { body, status } = verdict.answer;
    const detail = {
      accepted: !verdict.rejects,
      message: messageOf(verdict),
      verificationData: { body, status },
    };
    fire(input, 'verified', detail);
    return detail;
  }

  /** The first rejected address decides; else the first that there is something to say of; else the first. */
  function formOpinion(from = parts): Opinion | undefined {
    const { allow, messages } = options();
    const opinions = from.flatMap(({ address, outcome }): Opinion[] => {
      if (!outcome || !isAnswer(outcome)) return [];
      const verdict = applyPolicy(outcome.result, allow, messages);
      // In a list, the message names the address that it is about.
      if (verdict.template && isMultiple()) verdict.template = `${address}: ${verdict.template}`;
      return [{ ...verdict, about: address, answer: outcome }];
    });
    return (
      opinions.find(({ rejects }) => rejects) ?? opinions.find(({ template }) => template) ?? opinions[0]
    );
  }

  function refresh() {
    // First of all what a script has put there since: nobody is told of another value's verdict.
    look();
    if (state.verdict ?? state.failure) decide(state.subject, state);
    else go(state);
    wait();
  }

  function takeSuggestion(suggestion: string) {
    const about = state.verdict?.about;
    const list = addressesIn(text(), isMultiple()).map((address) =>
      address === about ? suggestion : address,
    );
    typeIn(input, list.join(', '));
    // Not `new Event`: pages about concerts have an Event of their own.
    for (const type of ['input', 'change'])
      dispatch(input, type, { bubbles: true, composed: type === 'input' });
    if (state.phase === 'waiting') void judge();
  }

  function isRateLimited() {
    return state.failure?.status === RATE_LIMITED && options().blockOnRateLimit;
  }

  const isBlocking = () => state.phase === 'rejected' || isRateLimited();

  function guards() {
    const { form } = input;
    return options().formValidation && isRendered() && !(form && isExempt(form));
  }

  /** Brings everything that can be seen in line with the state. */
  function render(lifted?: boolean) {
    if (released) return;
    const { messages, resultField, statusAppendTo, style } = options();
    const { phase, verdict, closed } = state;
    const blocking = isBlocking();
    const said =
      phase === 'verifying'
        ? say(true, messages.verifying)
        : isRateLimited()
          ? say(true, messages.rateLimited)
          : (verdict ?? say(false, ''));

    let message = '';
    if ((blocking || closed) && !lifted && guards()) message = messageOf(said) || SILENT;
    validity.say(message);
    setInvalid(blocking ? 'true' : null);
    setBusy(phase === 'verifying' ? 'true' : null);
    setMirror(/unjudged|skipped/.test(phase) ? null : phase);
    showResult(input.form, resultField, verdict?.answer.body ?? '');

    status?.settleIn(findHome(input, statusAppendTo));
    status?.tell(
      said,
      phase === 'verifying' ? phase : blocking ? 'rejected' : 'hint',
      style.loadingIconColor,
    );
  }

  const field: Field = {
    input,
    guards,
    isPending: () => isPending(state),
    isBlocking,
    isClosed: () => !!state.closed && validity.isOurs(),
    attempt,
    report: () => input.reportValidity(),
    render,
    changed,
    settle,
    look,
    verify: judge,
    shut: () => go({ ...state, closed: true }),
    refresh,
    forget() {
      interrupt();
      seen = text();
      go(UNJUDGED);
    },
    suspend() {
      const { phase, subject } = state;
      if (phase !== 'verifying') return;
      interrupt();
      go({ phase: 'waiting', subject });
    },
    release() {
      interrupt();
      go(UNJUDGED);
      released = true;
      status?.takeAway();
    },
  };

  seen = text();
  // Not within the visitor's own click or key: that is answered first.
  browser.setTimeout(() => {
    if (released) return;
    status = createStatus(input, takeSuggestion);
    render();
  }, 0);
  return field;
}
