/**
 * What holds whatever happens, by the widget's contract; seen from outside, as a page's author and a visitor see it.
 * Keeps its own notes of what was done and heard, and never asks the widget.
 */
import type { VerifiedDetail } from '../../../src/widget/index.ts';
import type { Options } from '../../../src/widget/options.ts';
import { statusText } from '../page-under-test.ts';
import { controlsOf, customValidityOf, isExempt, isUnvalidated } from './browser.ts';
import type { Clock } from './clock.ts';
import type { Question, Service } from './service.ts';

export const MESSAGES = {
  verifying: 'VERIFYING',
  invalid: 'INVALID',
  role: 'ROLE',
  free: 'FREE',
  disposable: 'DISPOSABLE',
  didYouMean: 'DID YOU MEAN [EMAIL]?',
  rateLimited: 'RATE LIMITED',
};

/** How often a page is looked at for what fires no event. */
const LOOK_MS = 250;
const TRIES = 5;

export type Submitter = HTMLButtonElement | HTMLInputElement | null;

interface Verdict {
  readonly value: string;
  readonly message: string;
  /** Of a verdict; an error has none. */
  readonly accepted?: boolean;
  readonly status?: number;
}

/** What is known of one input from outside. */
interface Notes {
  /** The question that its `verifying` event has told of. */
  asks?: { email: string; at: number; isOpen: boolean } | undefined;
  judged?: Verdict | undefined;
  /** What it was last seen to hold: only another value is a change. */
  value?: string | undefined;
  /** When something last happened of which no event tells. */
  disturbedAt: number;
  /** When it was found to be in use without a status. */
  bareSince?: number | undefined;
  /** Something has happened that is a reason for one more question, or for an event without one. */
  mayAsk: boolean;
  mayTell: boolean;
  /** A submission was tried since the last change. */
  wasTried: boolean;
  wasTouched: boolean;
  /** The custom validity that the page itself has set; unknown where nobody can tell whose it is. */
  pageSays: string | undefined;
}

interface Held {
  readonly submitters: Submitter[];
  /** Nothing has happened since that would keep it from being carried out. */
  isDue: boolean;
}

const keyOf = (email: string) => email.replace(/@[^@]*$/, (domain) => domain.toLowerCase());
const heldBy = (input: HTMLInputElement) => input.value.trim();
const isShown = (input: Element) => input.isConnected && !input.closest('[hidden]');
const stateOf = (input: Element) => input.getAttribute('data-email-verify') ?? '';
const isPending = (input: Element) => /waiting|verifying/.test(stateOf(input));

export const isMonitored = (input: HTMLInputElement) =>
  input.isConnected && input.type === 'email' && !input.disabled && !input.readOnly;

/** What the rules need to know of the page. */
export interface Page {
  readonly clock: Clock;
  readonly service: Service;
  readonly inputs: HTMLInputElement[];
  readonly options: Pick<Options, 'blockOnRateLimit' | 'formValidation' | 'verificationTimeout'>;
  readonly isRunning: boolean;
  /** The same element as the page alone would have it. */
  twinOf(element: Element): Element;
}

export class Rules {
  /** The first rule that did not hold. */
  broken: string | undefined;

  #page: Page;
  #notes = new Map<HTMLInputElement, Notes>();
  #held = new Map<HTMLFormElement, Held>();
  #dropped = new Map<HTMLFormElement, string>();
  #press: { form: HTMLFormElement; count: number } | undefined;
  #pressedAt = -1;
  #known = new Set<string>();
  /** By the signal that all tries of a question share: when it was tried, when it was last told to try again, and the last pause. */
  #tries = new Map<AbortSignal, number[]>();
  #saidAt = new Map<AbortSignal, number>();
  #pauses = new Map<AbortSignal, number>();
  #details = new Set<unknown>();

  constructor(page: Page) {
    this.#page = page;
  }

  break(rule: string) {
    this.broken ??= rule;
  }

  /** What has changed without an event has been looked at since. */
  #isLate = (input: HTMLInputElement) => this.#page.clock.now - this.#of(input).disturbedAt > LOOK_MS;

  #nameOf = (input: HTMLInputElement) => `input ${input.name}`;

  #of(input: HTMLInputElement): Notes {
    let notes = this.#notes.get(input);
    if (!notes) {
      notes = {
        disturbedAt: Number.NEGATIVE_INFINITY,
        mayAsk: true,
        mayTell: true,
        wasTried: false,
        wasTouched: false,
        pageSays: '',
      };
      this.#notes.set(input, notes);
    }
    return notes;
  }

  // What is done

  /** Anything but time and answers. */
  acted() {
    for (const input of this.#page.inputs) this.#of(input).mayAsk = true;
  }

  touched(input: HTMLInputElement) {
    this.#of(input).wasTouched = true;
  }

  /** The visitor changes a value; to be told before the widget is. */
  edited(input: HTMLInputElement) {
    const notes = this.#of(input);
    notes.wasTouched = true;
    // Spaces around it do not count.
    if (isMonitored(input) && notes.asks?.email !== heldBy(input)) notes.asks = undefined;
    const before = notes.value;
    notes.value = heldBy(input);
    if (before === notes.value) return;
    notes.mayTell = true;
    // Whether it is a change to what was there without an event, nobody can tell.
    if (before === undefined) {
      const held = input.form && this.#held.get(input.form);
      if (held) held.isDue = false;
      return;
    }
    notes.wasTried = false;
    if (input.form && isMonitored(input)) this.#drop(input.form, `${this.#nameOf(input)} was edited`);
  }

  /** `verify()` is called. */
  toVerify(input: HTMLInputElement) {
    Object.assign(this.#of(input), { wasTouched: true, mayTell: true });
  }

  /** The page does something to an input that fires no event. */
  disturbed(input: HTMLInputElement) {
    const notes = this.#of(input);
    notes.disturbedAt = this.#page.clock.now;
    notes.value = undefined;
    notes.mayTell = true;
    // What is barred from validation hides whose message it has, and may lose the page's with ours.
    if (notes.pageSays && !input.willValidate) notes.pageSays = undefined;
    // What comes into a form whose submission is held is asked for before that is carried out.
    if (input.form && this.#held.has(input.form)) notes.wasTouched = notes.wasTried = true;
    this.unsettled();
  }

  /** The page does something that may keep a held submission from being carried out. */
  unsettled() {
    for (const held of this.#held.values()) held.isDue = false;
  }

  pageSays(input: HTMLInputElement, message: string) {
    this.#of(input).pageSays = message;
    this.disturbed(input);
  }

  optionsChanged() {
    for (const input of this.#page.inputs) this.disturbed(input);
  }

  reset(form: HTMLFormElement) {
    this.#drop(form, 'the form was reset');
    for (const input of this.#page.inputs) {
      if (input.form !== form) continue;
      this.disturbed(input);
      this.#of(input).asks = undefined;
    }
  }

  /** The page is left: what is asked is given up, and asked again should the visitor come back. */
  left() {
    for (const form of this.#held.keys()) this.#drop(form, 'the page was left');
    for (const input of this.#page.inputs) {
      this.#of(input).asks = undefined;
      this.disturbed(input);
    }
  }

  destroyed() {
    for (const form of this.#held.keys()) this.#drop(form, 'the widget was destroyed');
    for (const input of this.#page.inputs) {
      const notes = this.#of(input);
      Object.assign(notes, {
        asks: undefined,
        judged: undefined,
        wasTried: false,
        wasTouched: false,
      });
    }
    this.#known.clear();
    const { clock, service } = this.#page;
    for (const left of clock.running) this.break(`destroy leaves ${left} behind`);
    for (const { email } of service.inFlight) this.break(`destroy leaves a question for ${email} in flight`);
  }

  #drop(form: HTMLFormElement, reason: string) {
    this.#held.delete(form);
    this.#dropped.set(form, reason);
  }

  /** What the page has disabled or hidden since it was asked for keeps nobody. */
  #dropIfGuarding(input: HTMLInputElement, reason: string) {
    const { form } = input;
    if (form && this.#guarding(form).includes(input)) this.#drop(form, reason);
  }

  // What the service is asked

  asked(question: Question) {
    const { clock, service, isRunning } = this.#page;
    const { email, signal } = question;
    const key = keyOf(email);
    if (!isRunning) this.break(`${email} is asked for after destroy`);
    if (this.#known.has(key)) this.break(`${email} is asked for again, though it has its verdict`);
    if (service.inFlight.filter((other) => keyOf(other.email) === key).length > 1) {
      this.break(`${email} is asked for twice at the same time`);
    }
    const before = this.#tries.get(signal);
    if (!before) this.#asking(`${email} is asked for, which no input has told of`);
    const times = [...(before ?? []), clock.now];
    this.#tries.set(signal, times);
    const pause = clock.now - (this.#saidAt.get(signal) ?? clock.now);
    if (before && pause <= (this.#pauses.get(signal) ?? 0))
      this.break(`${email} is tried at no longer interval`);
    this.#pauses.set(signal, pause);
    if (times.length > TRIES) this.break(`${email} is tried ${times.length} times`);
  }

  /** To be told before the page is. */
  answered({ email, signal, said }: Question) {
    const isResult = /^(un)?deliverable|^risky|^disposable|^free/.test(said ?? '');
    this.#saidAt.set(signal, this.#page.clock.now);
    if (isResult && !signal.aborted) this.#known.add(keyOf(email));
  }

  /** Each question in flight is one that an input waits for, and no input waits for two. */
  #asking(otherwise?: string) {
    const asks = [...this.#notes.values()].flatMap(({ asks: one }) =>
      one?.isOpen ? [keyOf(one.email)] : [],
    );
    for (const { email } of this.#page.service.inFlight) {
      if (!asks.includes(keyOf(email))) {
        this.break(otherwise ?? `${email} is still being asked for, though no input waits for it`);
      }
    }
  }

  // What the page hears

  heard(input: HTMLInputElement, type: string, detail: unknown) {
    const notes = this.#of(input);
    const name = this.#nameOf(input);
    const value = heldBy(input);
    this.#details.add(detail);
    notes.value = value;
    if (!this.#page.isRunning) this.break(`${name} hears "${type}" after destroy`);
    if (type === 'verifying') {
      const { email } = detail as { email: string };
      if (!isMonitored(input)) this.break(`${name} is asked for, though it is not to be verified`);
      if (email !== value) this.break(`${name} is asked for as ${email}, but holds "${value}"`);
      if (!notes.mayAsk) this.break(`${name} is asked for once more, though nobody has done anything`);
      notes.mayAsk = false;
      notes.asks = { email, at: this.#page.clock.now, isOpen: true };
      return;
    }
    const isAnswer = notes.asks?.isOpen === true && keyOf(notes.asks.email) === keyOf(value);
    if (type === 'error') {
      if (!isAnswer) this.break(`${name} hears "error" without a question of its own`);
      const { status, message } = detail as { status: number; message: string };
      notes.judged = { value, status, message };
      if (this.#isBlocking(input)) this.#dropIfGuarding(input, 'the rate limit was exceeded');
    } else {
      const { accepted, message, verificationData } = detail as VerifiedDetail;
      const about = JSON.parse(verificationData.body).email as string;
      if (keyOf(about) !== keyOf(value))
        this.break(`${name} gets the verdict of ${about}, but holds "${value}"`);
      if (!isAnswer && !notes.mayTell) this.break(`${name} hears "verified" twice`);
      notes.judged = { value, accepted, message };
      if (!accepted) this.#dropIfGuarding(input, `${name} was rejected`);
    }
    // It may be gone since before the answer came: from now on that is looked for.
    if (!isMonitored(input)) notes.disturbedAt = this.#page.clock.now;
    notes.mayTell = false;
    if (notes.asks) notes.asks.isOpen = false;
    if (stateOf(input) !== (type === 'error' ? type : notes.judged.accepted ? 'accepted' : 'rejected')) {
      this.break(`${name} hears "${type}" and shows "${stateOf(input)}"`);
    }
  }

  /** A promise of `verify()` was kept. */
  promised(detail: unknown) {
    if (detail && !this.#details.has(detail)) this.break('verify() promises what no event has told');
  }

  // Submissions

  /** The inputs of a form that hold its submissions. */
  #guarding(form: HTMLFormElement) {
    if (!this.#page.isRunning || !this.#page.options.formValidation) return [];
    return this.#page.inputs.filter((input) => input.form === form && isMonitored(input) && isShown(input));
  }

  #isBlocking(input: HTMLInputElement) {
    if (stateOf(input) === 'rejected') return true;
    const isLimited = this.#of(input).judged?.status === 429 && stateOf(input) === 'error';
    return isLimited && !!this.#page.options.blockOnRateLimit;
  }

  /** Whether the browser, the widget aside, lets it pass. */
  #wouldPass(form: HTMLFormElement, submitter: Submitter, passedOver: Element[] = []) {
    if (isUnvalidated(form, submitter)) return true;
    return controlsOf(form).every((control) => {
      if (control.localName !== 'input' || !control.willValidate || passedOver.includes(control)) return true;
      const { typeMismatch, valueMissing } = control.validity;
      const notes = this.#notes.get(control as HTMLInputElement);
      return !typeMismatch && !valueMissing && (!notes || notes.pageSays === '');
    });
  }

  /** An attempt to submit: what is done, and what must have come of it when it is done. */
  tries(form: HTMLFormElement, submitter: Submitter, act: () => void, byScript = false) {
    const exempt = isExempt(form, submitter);
    const isStale =
      byScript && this.#page.inputs.some((input) => input.form === form && this.#isStale(input));
    this.closes(form, byScript);
    const press = { form, count: 0 };
    this.#press = press;
    act();
    this.#press = undefined;
    if (press.count || !form.isConnected) return;
    // Asked now: the widget may have taken a novalidate that the page had set anew.
    const passes = this.#wouldPass(form, submitter);
    const guarding = exempt ? [] : this.#guarding(form);
    const pending = guarding.filter(isPending);
    const isBlocked = guarding.some((input) => this.#isBlocking(input));
    if (passes && !isStale && !pending.length && !isBlocked) {
      this.break('a submission is refused without a reason');
    }
    if (!byScript && guarding.some((input) => stateOf(input) === 'error' && this.#isBlocking(input))) {
      this.break('a visitor over the rate limit presses the button, and it is not asked once more');
    }
    for (const input of passes && !byScript ? pending : []) {
      if (!customValidityOf(input)) this.break(`${this.#nameOf(input)} is pending and says yes`);
    }
    // What a browser finds wrong with a value that is being verified may be mended by the page meanwhile.
    if (!pending.length || isBlocked || !this.#wouldPass(form, submitter, pending)) return;
    // Which button a script has named is not to be known where validity has stopped it.
    const possible = byScript ? [submitter, null] : [submitter];
    const submitters = [...(this.#held.get(form)?.submitters ?? []), ...possible];
    this.#held.set(form, { submitters, isDue: passes });
  }

  /** A script that changes something and submits in one go meets what stood before. */
  #isStale = (input: HTMLInputElement) => customValidityOf(input) !== '' && !this.#isLate(input);

  /** A press that may be an attempt to submit: pending inputs may say no from now on. */
  closes(form: HTMLFormElement, byScript = false) {
    this.#pressedAt = this.#page.clock.now;
    for (const input of this.#page.inputs) {
      if (input.form !== form) continue;
      const notes = this.#of(input);
      const value = byScript && this.#isStale(input) ? notes.value : heldBy(input);
      Object.assign(notes, { wasTouched: true, wasTried: true, value });
      // It is tried again, and may be remembered from another input by now.
      if (notes.judged?.status !== undefined) notes.mayTell = true;
    }
  }

  submitted(form: HTMLFormElement, submitter: Submitter) {
    if (this.#press?.form === form) {
      if (++this.#press.count > 1) this.break('two submissions for one press');
    } else {
      const held = this.#held.get(form);
      if (!held) {
        const reason = this.#dropped.get(form);
        this.break(reason ? `submitted, though ${reason}` : 'a submission that nobody has asked for');
      } else if (!held.submitters.includes(submitter)) {
        this.break(`submitted by ${submitter?.name ?? 'no button'}, which was not the one`);
      }
    }
    this.#held.delete(form);
    this.#dropped.set(form, 'it had been submitted already');
    if (isExempt(form, submitter)) return;
    for (const input of this.#guarding(form)) {
      const { judged } = this.#of(input);
      const value = heldBy(input);
      if (!value) continue;
      if (judged?.value !== value) this.break(`submitted with "${value}", which has no verdict`);
      else if (this.#isBlocking(input) || judged.accepted === false) {
        this.break(`submitted with "${value}", which was rejected`);
      }
    }
  }

  // What can be seen

  /** After each step. */
  check() {
    this.#asking();
    const { clock, service, options } = this.#page;
    for (const { email, signal } of service.inFlight) {
      const [first = 0] = this.#tries.get(signal) ?? [];
      if (clock.now - first > options.verificationTimeout * 1000)
        this.break(`${email} is being asked for after the time is up`);
    }
    for (const input of this.#page.inputs) {
      if (this.#page.isRunning) this.#checkInput(input);
      this.#checkPageSays(input);
    }
  }

  #checkPageSays(input: HTMLInputElement) {
    const { pageSays } = this.#of(input);
    if (pageSays === undefined) return;
    const says = customValidityOf(input);
    if (pageSays && says !== pageSays) {
      this.break(`the page's own "${pageSays}" on ${this.#nameOf(input)} has become "${says}"`);
    }
    if (says && says !== pageSays && !this.#page.isRunning) {
      this.break(`destroy leaves "${says}" on ${this.#nameOf(input)}`);
    }
  }

  #checkInput(input: HTMLInputElement) {
    const { clock, options, twinOf } = this.#page;
    const notes = this.#of(input);
    const name = this.#nameOf(input);
    const twin = twinOf(input);
    const state = stateOf(input);
    if (!notes.wasTouched && input.outerHTML !== twin.outerHTML) {
      this.break(`${name} is changed to ${input.outerHTML} before the visitor's first contact`);
    }

    const { judged } = notes;
    const isVerdict = /accepted|rejected|error/.test(state);
    if (isVerdict && !judged) this.break(`${name} is ${state}, of which no event has told`);
    const isLate = this.#isLate(input);
    if (isVerdict && isLate && judged?.value !== heldBy(input)) {
      this.break(`${name} is ${state} for "${judged?.value}", but holds "${heldBy(input)}"`);
    }
    if (isVerdict && isLate && !isMonitored(input)) this.break(`${name} is ${state}, and not to be verified`);

    const blocking = this.#isBlocking(input);
    const said = this.#wordsFor(input, state);
    const isBusy = state === 'verifying';
    const attribute = (attributeName: string, ours: boolean) => {
      const expected = ours ? 'true' : twin.getAttribute(attributeName);
      const actual = input.getAttribute(attributeName);
      if (actual !== expected) this.break(`${name} is "${state}" with ${attributeName}=${actual}`);
    };
    attribute('aria-busy', isBusy);
    attribute('aria-invalid', blocking);
    // The status of an input that was not in use before comes in a task of its own.
    const text = textOf(input);
    notes.bareSince = state && text === undefined ? (notes.bareSince ?? clock.now) : undefined;
    if (isShown(input) && notes.wasTouched && state && notes.bareSince !== clock.now && text !== said) {
      this.break(`${name} is ${state}, and its status says "${text}", not "${said}"`);
    }

    const says = customValidityOf(input);
    if (notes.pageSays !== '') return;
    if (says) {
      const wanted = blocking ? said : isPending(input) && notes.wasTried ? MESSAGES.verifying : '';
      if (says !== wanted) this.break(`${name} is blocked by "${says}" while it is "${state}"`);
      if (isLate && !options.formValidation) this.break(`${name} is blocked, though nothing is to be`);
    } else if (blocking && isLate && clock.now > this.#pressedAt) {
      const exempt = input.form && isExempt(input.form, null);
      if (options.formValidation && isShown(input) && isMonitored(input) && !exempt) {
        this.break(`${name} is ${state} and not blocked`);
      }
    }
  }

  /** What the status has to say in a state. */
  #wordsFor(input: HTMLInputElement, state: string): string {
    if (state === 'verifying') return MESSAGES.verifying;
    if (state === 'error') return this.#isBlocking(input) ? MESSAGES.rateLimited : '';
    return /accepted|rejected/.test(state) ? (this.#of(input).judged?.message ?? '') : '';
  }

  /** When all is answered and time has passed. */
  checkRest() {
    for (const { email } of this.#page.service.inFlight) this.break(`${email} is still being asked for`);
    for (const input of this.#page.inputs) {
      const { asks, disturbedAt } = this.#of(input);
      if (stateOf(input) === 'verifying') this.break(`${this.#nameOf(input)} is verifying for ever`);
      const isStill = asks?.isOpen && isMonitored(input) && disturbedAt < asks.at;
      if (isStill) this.break(`${this.#nameOf(input)} never hears what became of ${asks.email}`);
    }
    for (const { isDue } of this.#held.values()) {
      if (isDue) this.break('a submission is held for ever');
    }
  }

  /** Whether a visitor is told why the form does not go. */
  isTold(form: HTMLFormElement, bubble: string | undefined) {
    return !!bubble || this.#page.inputs.some((input) => input.form === form && textOf(input));
  }
}

function textOf(input: HTMLInputElement): string | undefined {
  try {
    return statusText(input);
  } catch {
    return undefined;
  }
}
