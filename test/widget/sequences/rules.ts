/**
 * What holds whatever happens, by the widget's contract; seen from outside, as a page's author and a visitor see it.
 * Keeps its own notes of what was done and heard, and never asks the widget.
 */
import type { VerificationResult } from '../../../src/protocol/result.ts';
import type { VerifiedDetail } from '../../../src/widget/index.ts';
import type { Options } from '../../../src/widget/options.ts';
import { statusText } from '../page-under-test.ts';
import { controlsOf, customValidityOf, isExempt, isReachable, isUnvalidated } from './browser.ts';
import type { Clock } from './clock.ts';
import { type Said, saidOf } from './policy.ts';
import { PROOF_SECONDS, type Question, type Service } from './service.ts';

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
/** How long a request may take before anything is said of it. */
const CALM_MS = 300;
const TRIES = 5;

export type Submitter = HTMLButtonElement | HTMLInputElement | null;

interface Verdict {
  readonly value: string;
  readonly message: string;
  /** Of a verdict; an error has none. */
  readonly accepted?: boolean;
  /** What the service has said; absent where the widget itself knew. */
  readonly result?: Partial<VerificationResult> | undefined;
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
  /** How many results there were when it last heard a result or an error. */
  toldAfter?: number | undefined;
  /** A submission was tried since the last change. */
  wasTried: boolean;
  /** Enter was pressed in it outside a form, which is an attempt to submit, too. */
  wasEntered: boolean;
  wasTouched: boolean;
  /** The custom validity that the page itself has set; unknown where nobody can tell whose it is. */
  pageSays: string | undefined;
  /** The page has copied it from an input with the widget's attributes on it. */
  isCopy: boolean;
  /** When a copy came into contact with the widget. */
  metAt?: number | undefined;
}

/** What the widget writes on an input. */
export const OURS = [
  'aria-busy',
  'aria-describedby',
  'aria-invalid',
  'data-email-verify',
  'data-email-verify-hint',
];

interface Held {
  readonly submitters: Submitter[];
  /** Nothing has happened since that would keep it from being carried out. */
  isDue: boolean;
}

const keyOf = (email: string) => email.replace(/@[^@]*$/, (domain) => domain.toLowerCase());
const heldBy = (input: HTMLInputElement) => input.value.trim();
const idsIn = (element: Element) =>
  (element.getAttribute('aria-describedby') ?? '').split(/\s+/).filter(Boolean);

export const isMonitored = (input: HTMLInputElement) =>
  input.isConnected && input.type === 'email' && !input.disabled && !input.readOnly;

/** What the rules need to know of the page. */
export interface Page {
  readonly clock: Clock;
  readonly service: Service;
  readonly inputs: HTMLInputElement[];
  readonly buttons: HTMLButtonElement[];
  readonly options: Pick<
    Options,
    'allow' | 'blockOnRateLimit' | 'formValidation' | 'proofField' | 'verificationTimeout'
  >;
  readonly isRunning: boolean;
  /** The input at which the browser's bubble may say what is wrong. */
  readonly refused: HTMLInputElement | undefined;
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
  /** The attempt that is being made: how often it has submitted, and whether its `submit` event got to the widget. */
  #press: { form: HTMLFormElement; count: number; hasArrived: boolean } | undefined;
  #pressedAt = -1;
  /** The last press, where it submits nothing; and whether the fields are open again from the next task on. */
  #inVain = new Map<HTMLFormElement, { at: number; button: Submitter; isOpening: boolean }>();
  #isPaintingBroken = false;
  /** When the latest result of an address came, and which one it was: two may come in one millisecond. */
  #known = new Map<string, { readonly at: number; readonly nth: number }>();
  #results = 0;
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
        wasEntered: false,
        wasTouched: false,
        pageSays: '',
        isCopy: false,
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

  /** The visitor, or the page by `verify()`, brings an input into contact with the widget. */
  met(input: HTMLInputElement) {
    const notes = this.#of(input);
    if (this.#page.isRunning && isMonitored(input)) notes.metAt ??= this.#page.clock.now;
  }

  /** An input comes into the page that was copied with whatever the widget had written on it. */
  copied(input: HTMLInputElement) {
    this.#of(input).isCopy = true;
  }

  /** A copy, and whether the widget has had to do with it. */
  kindOf(input: HTMLInputElement): 'original' | 'copy' | 'copy in use' {
    const { isCopy, metAt } = this.#of(input);
    return !isCopy ? 'original' : metAt === undefined ? 'copy' : 'copy in use';
  }

  /** The page breaks something that the status needs: from now on, nobody can rely on what is shown. */
  paintingBroke() {
    this.#isPaintingBroken = true;
  }

  /** As it can be styled. What stands on a copy that was never used is the other input's. */
  #stateOf = (input: HTMLInputElement) =>
    this.kindOf(input) === 'copy' ? '' : (input.getAttribute('data-email-verify') ?? '');

  #isPending = (input: HTMLInputElement) => /waiting|verifying/.test(this.#stateOf(input));

  /** What `verified` has to say of a result at this moment. */
  #saidOf = (input: HTMLInputElement, result: Partial<VerificationResult>): Said =>
    saidOf(input, result, this.#page.options.allow, MESSAGES);

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
    notes.wasTried = notes.wasEntered = false;
    if (input.form && isMonitored(input)) this.#drop(input.form, `${this.#nameOf(input)} was edited`);
  }

  /** `verify()` is called. */
  toVerify(input: HTMLInputElement) {
    Object.assign(this.#of(input), { wasTouched: true, mayTell: true });
    this.met(input);
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

  /** The machine sleeps; to be told before it does. Nothing is looked at meanwhile. */
  slept(delayMs: number) {
    for (const input of this.#page.inputs) if (!this.#isLate(input)) this.#of(input).disturbedAt += delayMs;
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
    this.#inVain.clear();
    for (const input of this.#page.inputs) {
      const notes = this.#of(input);
      Object.assign(notes, {
        asks: undefined,
        judged: undefined,
        wasTried: false,
        wasEntered: false,
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
    if (this.#known.has(key) && !this.#mayRenew(key)) {
      this.break(`${email} is asked for again, though it has its verdict`);
    }
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

  /** Whether a submission was tried that would carry a proof of its last minute. */
  #mayRenew(key: string) {
    const { clock, inputs, options } = this.#page;
    const ageMs = clock.now - (this.#known.get(key)?.at ?? 0);
    return (
      options.proofField &&
      options.formValidation &&
      ageMs > (PROOF_SECONDS - 60) * 1000 &&
      inputs.some((input) => {
        const { wasTried, wasEntered } = this.#of(input);
        return keyOf(heldBy(input)) === key && (wasTried || wasEntered);
      })
    );
  }

  /** To be told before the page is. */
  answered({ email, signal, said }: Question) {
    const isResult = /^(un)?deliverable|^risky|^disposable|^free/.test(said ?? '');
    this.#saidAt.set(signal, this.#page.clock.now);
    if (!isResult || signal.aborted) return;
    this.#results += 1;
    this.#known.set(keyOf(email), { at: this.#page.clock.now, nth: this.#results });
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
    this.met(input);
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
      if (this.#known.has(keyOf(value))) this.break(`${name} loses its verdict`);
      const { status, message } = detail as { status: number; message: string };
      notes.judged = { value, status, message };
      if (this.#isBlocking(input)) this.#dropIfGuarding(input, 'the rate limit was exceeded');
    } else {
      const { accepted, message, verificationData } = detail as VerifiedDetail;
      const about = JSON.parse(verificationData.body).email as string;
      if (keyOf(about) !== keyOf(value))
        this.break(`${name} gets the verdict of ${about}, but holds "${value}"`);
      // Another input with this address has renewed its proof, of which the page is told once more.
      const isRenewed =
        (this.#known.get(keyOf(value))?.nth ?? 0) > (notes.toldAfter ?? Number.POSITIVE_INFINITY);
      if (!isAnswer && !notes.mayTell && !isRenewed) this.break(`${name} hears "verified" twice`);
      const result = verificationData.status ? JSON.parse(verificationData.body) : undefined;
      notes.judged = { value, accepted, message, result };
      const wanted = result && this.#saidOf(input, result);
      if (wanted && (wanted.accepted !== accepted || wanted.message !== message)) {
        this.break(
          `${name} hears "${message}" by options that hold no longer: now it is "${wanted.message}"`,
        );
      }
      if (!accepted) this.#dropIfGuarding(input, `${name} was rejected`);
    }
    // It may be gone since before the answer came: from now on that is looked for.
    if (!isMonitored(input)) notes.disturbedAt = this.#page.clock.now;
    notes.mayTell = false;
    notes.toldAfter = this.#results;
    if (notes.asks) notes.asks.isOpen = false;
    const state = this.#stateOf(input);
    if (state !== toldOf(notes.judged)) this.break(`${name} hears "${type}" and shows "${state}"`);
  }

  /** A promise of `verify()` was kept. */
  promised(detail: unknown) {
    if (detail && !this.#details.has(detail)) this.break('verify() promises what no event has told');
  }

  // Submissions

  /** The inputs of a form that hold its submissions. */
  #guarding(form: HTMLFormElement) {
    if (!this.#page.isRunning || !this.#page.options.formValidation) return [];
    return this.#page.inputs.filter(
      (input) => input.form === form && isMonitored(input) && isReachable(input),
    );
  }

  #isBlocking(input: HTMLInputElement) {
    const state = this.#stateOf(input);
    if (state === 'rejected') return true;
    const isLimited = this.#of(input).judged?.status === 429 && state === 'error';
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
    // Where validity stops what a script submits, nobody can know which button it has named; nor within a press.
    const pressed = this.#inVain.get(form);
    const isInPress = pressed?.at === this.#page.clock.now;
    const closed = this.#closedIn(form);
    const isExact = !byScript || (!isInPress && !closed.length);
    // What the browser finds wrong stops it before the widget can see that the value has changed.
    const isStopped =
      byScript &&
      !isUnvalidated(form, submitter) &&
      this.#page.inputs.some(
        (input) =>
          input.form === form && input.willValidate && this.#isStale(input) && !closed.includes(input),
      );
    this.#checkOpen();
    this.#inVain.delete(form);
    this.closes(form, byScript);
    const press = { form, count: 0, hasArrived: false };
    const outer = this.#press;
    this.#press = press;
    act();
    this.#press = outer;
    if (press.count || !form.isConnected) return;
    // Asked now: the widget may have taken a novalidate that the page had set anew.
    const passes = this.#wouldPass(form, submitter);
    const guarding = exempt ? [] : this.#guarding(form);
    const pending = guarding.filter(this.#isPending);
    const isBlocked = guarding.some((input) => this.#isBlocking(input));
    if (passes && !isStale && !pending.length && !isBlocked) {
      this.break('a submission is refused without a reason');
    }
    if (!byScript && guarding.some((input) => this.#stateOf(input) === 'error' && this.#isBlocking(input))) {
      this.break('a visitor over the rate limit presses the button, and it is not asked once more');
    }
    for (const input of passes && !byScript ? pending : []) {
      if (!customValidityOf(input)) this.break(`${this.#nameOf(input)} is pending and says yes`);
    }
    // A script empties a field that says no, and submits: the field stops that submission, and then pends no longer.
    // The widget holds it all the same, and carries it out in the next task.
    const stopping = byScript && !exempt ? [...pending, ...closed] : pending;
    if (isStopped || !stopping.length || isBlocked) return;
    // With novalidate, a submission arrives whatever else is wrong. It is held, and the browser validates it later.
    // What a browser finds wrong with a value that is being verified may be mended by the page meanwhile.
    if (!press.hasArrived && !this.#wouldPass(form, submitter, stopping)) return;
    const before = this.#held.get(form)?.submitters ?? [];
    const others = isInPress ? [...before, pressed.button] : before;
    const submitters = isExact ? [submitter] : [...others, submitter, null];
    this.#held.set(form, { submitters, isDue: passes });
  }

  /**
   * A press that submits nothing: its default is prevented, or it has none. Nothing is held for it, and what the page
   * submits in a later task is held with the button that it names.
   */
  pressedInVain(form: HTMLFormElement, button: Submitter, act: () => void) {
    const wasClosed = this.#closedIn(form).length > 0;
    this.#checkOpen();
    this.#inVain.delete(form);
    this.closes(form);
    act();
    // A submission within the press, or before it, keeps them closed until the verdict.
    const isOpening = !wasClosed && !this.#held.has(form);
    this.#inVain.set(form, { at: this.#page.clock.now, button, isOpening });
  }

  /** The inputs of a form that say no to whoever asks because their verdict is pending. */
  #closedIn(form: HTMLFormElement) {
    return this.#page.inputs.filter(
      (input) =>
        input.form === form && this.#isPending(input) && customValidityOf(input) === MESSAGES.verifying,
    );
  }

  #checkOpen() {
    for (const [form, { at, isOpening }] of this.#inVain) {
      const [closed] = isOpening && this.#page.clock.now > at ? this.#closedIn(form) : [];
      if (closed) this.break(`${this.#nameOf(closed)} says no long after a press that came to nothing`);
    }
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
      this.triesAgain(input);
    }
  }

  /** Enter outside a form is an attempt by itself. */
  entered(input: HTMLInputElement) {
    this.#of(input).wasEntered = true;
    this.triesAgain(input);
  }

  /** An attempt asks once more after an error. By now, the address may be remembered from another input. */
  triesAgain(input: HTMLInputElement) {
    const notes = this.#of(input);
    if (notes.judged?.status !== undefined) notes.mayTell = true;
  }

  /** A `submit` event comes to the window; to be told before the widget is. */
  arrived(form: HTMLFormElement) {
    if (this.#press?.form === form) this.#press.hasArrived = true;
  }

  /** @param named whether the submitter's name and value are sent */
  submitted(form: HTMLFormElement, submitter: Submitter, named: boolean) {
    if (this.#press?.form === form) {
      if (++this.#press.count > 1) this.break('two submissions for one press');
    } else {
      const held = this.#held.get(form);
      if (!held) {
        const reason = this.#dropped.get(form);
        this.break(reason ? `submitted, though ${reason}` : 'a submission that nobody has asked for');
      } else if (!held.submitters.includes(submitter)) {
        this.break(`submitted by ${submitter?.name ?? 'no button'}, which was not the one`);
      } else if (submitter && !named) {
        this.break(`submitted by ${submitter.name}, whose name and value are left behind`);
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
      } else if (judged.result && !this.#saidOf(input, judged.result).accepted) {
        this.break(`submitted with "${value}", which the page has forbidden since`);
      }
      const { proofField } = this.#page.options;
      const isMissing = judged?.result && proofField && !form.querySelector(`[name="${proofField}"]`);
      if (isMissing && !this.#isPaintingBroken) this.break(`submitted with "${value}" without its proof`);
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
    this.#checkOpen();
    for (const input of this.#page.inputs) {
      if (this.#page.isRunning && this.#isItself(input)) this.#checkInput(input);
      this.#checkPageSays(input);
    }
    for (const button of this.#page.buttons) {
      const { outerHTML } = this.#page.twinOf(button);
      if (!button.isEqualNode(this.#page.twinOf(button))) {
        this.break(`the page has left its button as ${outerHTML}, and it has become ${button.outerHTML}`);
      }
    }
  }

  /** Whether what stands on an input is its own by now: on a copy, soon after it was first used. */
  #isItself(input: HTMLInputElement) {
    const { metAt = Number.POSITIVE_INFINITY } = this.#of(input);
    return this.kindOf(input) === 'original' || this.#page.clock.now - metAt > LOOK_MS;
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
    const state = this.#stateOf(input);
    // A copy may have the same attributes in another order.
    if (!notes.wasTouched && !input.isEqualNode(twin)) {
      this.break(`${name} is changed to ${input.outerHTML} before the visitor's first contact`);
    }

    const { judged } = notes;
    const isVerdict = /accepted|rejected|error/.test(state);
    if (isVerdict && toldOf(judged) !== state) this.break(`${name} is ${state}, of which no event has told`);
    const isLate = this.#isLate(input);
    if (isVerdict && isLate && judged?.value !== heldBy(input)) {
      this.break(`${name} is ${state} for "${judged?.value}", but holds "${heldBy(input)}"`);
    }
    if (isVerdict && isLate && !isMonitored(input)) this.break(`${name} is ${state}, and not to be verified`);
    const wanted = isVerdict && isLate && judged?.result && this.#saidOf(input, judged.result);
    if (wanted && (wanted.accepted !== judged.accepted || wanted.message !== judged.message)) {
      this.break(`${name} is ${state} with "${judged.message}" by options that hold no longer`);
    }

    const blocking = this.#isBlocking(input);
    const said = this.#wordsFor(input, state);
    const isBusy = state === 'verifying';
    const attribute = (attributeName: string, ours: boolean) => {
      const actual = input.getAttribute(attributeName);
      // A copy does not carry the page's own value: the widget's stood in its place.
      const isBare = notes.isCopy && actual === null;
      const expected = ours ? 'true' : isBare ? null : twin.getAttribute(attributeName);
      if (actual !== expected) this.break(`${name} is "${state}" with ${attributeName}=${actual}`);
    };
    attribute('aria-busy', isBusy);
    attribute('aria-invalid', blocking);
    // The status of an input that was not in use before comes in a task of its own.
    const text = textOf(input);
    notes.bareSince = state && text === undefined ? (notes.bareSince ?? clock.now) : undefined;
    const isExpected = isReachable(input) && notes.wasTouched && !!state && notes.bareSince !== clock.now;
    const mayBeCalm = isBusy && text === '' && this.#isFresh(input);
    // The bubble says it. What a script does meanwhile, the widget sees when it looks.
    const isInBubble = this.#page.refused === input;
    const mayBeSilent = text === '' && (!isLate || isInBubble);
    if (isExpected && text !== said && !mayBeCalm && !mayBeSilent && !this.#isPaintingBroken) {
      this.break(`${name} is ${state}, and its status says "${text}", not "${said}"`);
    }
    this.#checkDescription(input);

    const says = customValidityOf(input);
    if (notes.pageSays !== '') return;
    if (says) {
      const words = blocking ? said : this.#isPending(input) && notes.wasTried ? MESSAGES.verifying : '';
      if (says !== words) this.break(`${name} is blocked by "${says}" while it is "${state}"`);
      if (isLate && !isReachable(input)) this.break(`${name} is blocked, though nobody can see or reach it`);
      if (isLate && !options.formValidation) this.break(`${name} is blocked, though nothing is to be`);
    } else if (blocking && isLate && clock.now > this.#pressedAt) {
      // What the browser itself finds wrong blocks by itself.
      const exempt = input.validity.typeMismatch || (input.form && isExempt(input.form, null));
      if (options.formValidation && isReachable(input) && isMonitored(input) && !exempt) {
        this.break(`${name} is ${state} and not blocked`);
      }
    }
  }

  /** A question that was asked a moment ago is not worth a word yet, unless a submission waits for it. */
  #isFresh(input: HTMLInputElement) {
    const { asks } = this.#of(input);
    const { form } = input;
    // No submission waits for an input that the page has disabled since.
    const isWaitedFor =
      !!form && this.#held.get(form)?.isDue === true && this.#guarding(form).includes(input);
    return !!asks && !isWaitedFor && this.#page.clock.now - asks.at <= CALM_MS;
  }

  /** An input is described by what the page has there, and by the one status that is its own. */
  #checkDescription(input: HTMLInputElement) {
    const { inputs, twinOf } = this.#page;
    const present = idsIn(input);
    const ofPage = idsIn(twinOf(input));
    const lost = ofPage.find((id) => !present.includes(id));
    if (lost) this.break(`${this.#nameOf(input)} has lost its description "${lost}"`);
    const added = present.filter((id) => !ofPage.includes(id));
    if (added.length > 1) this.break(`${this.#nameOf(input)} is described by ${added.join(' and ')}`);
    const other = inputs.find(
      (each) =>
        each !== input &&
        each.isConnected &&
        this.kindOf(each) !== 'copy' &&
        idsIn(each).some((id) => added.includes(id)),
    );
    // A copy that was used just now may still have the other's.
    if (other && this.#isItself(other)) {
      this.break(`${this.#nameOf(input)} and ${this.#nameOf(other)} are described by the same status`);
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
      if (this.#stateOf(input) === 'verifying') this.break(`${this.#nameOf(input)} is verifying for ever`);
      const isStill = asks?.isOpen && isMonitored(input) && disturbedAt < asks.at;
      if (isStill) this.break(`${this.#nameOf(input)} never hears what became of ${asks.email}`);
    }
    for (const { isDue } of this.#held.values()) {
      if (isDue) this.break('a submission is held for ever');
    }
  }

  /** Whether a visitor is told why the form does not go. */
  isTold(form: HTMLFormElement, bubble: string | undefined) {
    return (
      !!bubble ||
      this.#isPaintingBroken ||
      this.#page.inputs.some((input) => input.form === form && textOf(input))
    );
  }
}

/** The state that goes with what an event has told. */
const toldOf = (judged: Verdict | undefined) =>
  judged && (judged.status !== undefined ? 'error' : judged.accepted ? 'accepted' : 'rejected');

function textOf(input: HTMLInputElement): string | undefined {
  try {
    return statusText(input);
  } catch {
    return undefined;
  }
}
