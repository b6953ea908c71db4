/** One sequence's page with the widget in it: what can be done there, each told to the rules that watch over it. */

import { type GivenOptions, install, type Widget } from '../../../src/widget/index.ts';
import { DEFAULTS, type Options } from '../../../src/widget/options.ts';
import { WAKING } from '../../../src/widget/page.ts';
import { suggestionIn } from '../page-under-test.ts';
import { BREAKAGES, type BreakageName, OfThePage } from './breakages.ts';
import { BrowserStandIn, defaultButton, isReachable, StandIns, submitsOnEnter } from './browser.ts';
import { Clock, settle } from './clock.ts';
import { LAYOUTS, type LayoutName } from './layouts.ts';
import { isMonitored, MESSAGES, OURS, Rules, type Submitter } from './rules.ts';
import { type AnswerName, Service } from './service.ts';

type Control = HTMLInputElement | HTMLButtonElement;

/** An element of the page, and the same in a page without the widget. */
interface Pair {
  live: HTMLElement;
  twin: HTMLElement;
}

/** Somebody who listens to what belongs to the page. */
interface Listening {
  readonly target: EventTarget;
  readonly type: string;
  readonly listener: EventListenerOrEventListenerObject;
  readonly capture: boolean;
  readonly signal: AbortSignal | undefined;
}

/** How long a widget sleeps that nothing wakes. */
const SLEEP_MS = 250;

/** What a page does by itself when a visitor presses a button of its form. */
export interface Habits {
  /** When it disables the button, against a second press: in its `submit` listener, or right after the click. */
  readonly disables: 'never' | 'when it submits' | 'once it is pressed';
  /** Whether it prevents the press's own default, and submits by a script instead. */
  readonly submits: 'as the browser does' | 'at once' | 'at once, naming no button' | 'after a question';
}

/** How long a visitor looks at a question. */
const QUESTION_MS = 500;

/** When every sequence begins. */
const NOON_MS = Date.UTC(2026, 0, 1, 12);

export class Stage {
  readonly clock = new Clock();
  readonly rules: Rules;
  readonly service: Service;
  readonly browser: BrowserStandIn;
  options: GivenOptions;

  #standIns = new StandIns();
  #twin = document.createElement('body');
  #twins = new Map<Element, Element>();
  /** By their names, also while they are taken out of the page. */
  #pairs = new Map<string, Pair>();
  #everyInput: HTMLInputElement[] = [];
  #everyButton: HTMLButtonElement[] = [];
  #habits: Habits;
  /** By its name, what the page has broken for the moment. */
  #broken = new Map<BreakageName, StandIns>();
  #widget: Widget | undefined;
  /** Until when the widget sleeps, unless something wakes it before: then it hears of no reset. */
  #sleepsUntil = 0;
  #submissions = 0;
  #seen = 0;
  #listening = new AbortController();
  #listeners: Listening[] = [];
  #promises = 0;
  #accidents: unknown[] = [];

  constructor(layout: LayoutName, options: GivenOptions, habits: Habits) {
    this.options = options;
    this.#habits = habits;
    const { clock } = this;
    const stage = this;
    this.service = new Service(
      clock,
      (question) => this.rules.asked(question),
      (question) => this.rules.answered(question),
    );
    this.rules = new Rules({
      clock,
      service: this.service,
      inputs: this.#everyInput,
      buttons: this.#everyButton,
      get options() {
        return { ...DEFAULTS, ...stage.options } as Options;
      },
      get isRunning() {
        return stage.isRunning;
      },
      get refused() {
        return stage.browser.refused;
      },
      twinOf: (element) => this.#twins.get(element) as Element,
    });
    const standIns = this.#standIns;
    this.browser = new BrowserStandIn(
      {
        submitted: (form, submitter, named) => {
          this.#submissions++;
          this.rules.submitted(form, submitter, named);
        },
        now: () => clock.now,
      },
      standIns,
    );
    standIns.method(window, 'fetch', this.service.fetch);
    standIns.method(window, 'setTimeout', (run: () => void, delayMs?: number) =>
      clock.setTimeout(() => this.#unlessOfThePage(run), delayMs),
    );
    standIns.method(window, 'clearTimeout', clock.clearTimeout);
    standIns.method(Date, 'now', () => NOON_MS + clock.now);
    standIns.method(performance, 'now', () => clock.now);
    standIns.method(window, 'requestAnimationFrame', (run: () => void) =>
      clock.requestAnimationFrame(() => this.#unlessOfThePage(run)),
    );
    standIns.method(window, 'cancelAnimationFrame', clock.cancelAnimationFrame);
    standIns.method(
      window,
      'IntersectionObserver',
      class {
        observe() {}
        disconnect() {}
      },
    );
    // Everything is in sight, and nothing is covered.
    const viewport = { offsetLeft: 0, offsetTop: 0, width: 1_000, height: 1_000 };
    standIns.method(window, 'visualViewport', Object.assign(new EventTarget(), viewport));
    standIns.method(document, 'elementsFromPoint', () => []);
    standIns.method(console, 'warn', () => {});
    process.on('unhandledRejection', this.#accident);

    const html = `${LAYOUTS[layout]}<p id="place"></p>`;
    document.body.innerHTML = html;
    this.#twin.innerHTML = html;
    this.#pairUp(document.body, this.#twin);
    // Before the widget, which hears of it at the window, too.
    for (const type of ['focusin', 'focusout']) {
      this.#listen(window, type, ({ target }) => this.rules.touched(target as HTMLInputElement));
    }
    this.#listen(window, 'focusin', ({ target }) => this.rules.met(target as HTMLInputElement));
    for (const type of WAKING) {
      this.#listen(window, type, () => {
        this.#sleepsUntil = 0;
      });
    }
    this.#listen(window, 'input', ({ target }) => this.rules.edited(target as HTMLInputElement));
    this.#listen(window, 'submit', ({ target }) => this.rules.arrived(target as HTMLFormElement));
    this.#listen(document, 'submit', (event) => this.#submits(event as SubmitEvent), false);
    this.#listen(document, 'click', (event) => this.#clicked(event), false);
    this.#recordListeners();
  }

  #accident = (reason: unknown) => {
    if (!(reason instanceof OfThePage)) this.#accidents.push(reason);
  };

  /** Keeps to the page what the page itself has broken. */
  #unlessOfThePage(act: () => void) {
    try {
      act();
    } catch (error) {
      if (!(error instanceof OfThePage)) throw error;
    }
  }

  // The page's own listeners

  #submits({ target, submitter }: SubmitEvent) {
    this.#seen++;
    const pressed = submitter ?? defaultButton(target as HTMLFormElement);
    if (this.#habits.disables === 'when it submits' && pressed) this.#disable(pressed as HTMLElement);
  }

  #disable(button: HTMLElement) {
    this.#onBoth(button, (element) => element.setAttribute('disabled', ''));
  }

  #clicked(event: Event) {
    const button = this.#everyButton.find((each) => each === event.target);
    const { submits, disables } = this.#habits;
    if (button?.type === 'submit' && disables === 'once it is pressed') {
      this.clock.later(() => this.#disable(button), 0);
    }
    if (!button?.form || !this.#takesOver(button)) return;
    event.preventDefault();
    if (submits === 'after a question') {
      this.clock.later(() => this.#submitAfterQuestion(button), QUESTION_MS);
      return;
    }
    const isNamed = submits === 'at once' && button.type === 'submit';
    const { requestSubmit } = HTMLFormElement.prototype;
    const { form } = button;
    const act = () => requestSubmit.call(form, isNamed ? button : null);
    // Of a submit button, the press itself is watched.
    if (button.type === 'submit') act();
    else this.rules.tries(form, null, act, true);
  }

  #submitAfterQuestion(button: HTMLButtonElement) {
    const { form } = button;
    if (!form?.isConnected) return;
    this.rules.acted();
    this.requestSubmit(form, button.type === 'submit' ? button : null);
  }

  /** Whether the page submits by itself when this button is pressed. */
  #takesOver(button: HTMLButtonElement) {
    const isPlain = /^(submit|button)$/.test(button.type) && !button.hasAttribute('formnovalidate');
    return isPlain && !button.hasAttribute('formmethod') && this.#habits.submits !== 'as the browser does';
  }

  /** What the page does to an element of its own. */
  #onBoth(element: HTMLElement, act: (element: HTMLElement) => void) {
    act(element);
    const twin = this.#twins.get(element);
    if (twin) act(twin as HTMLElement);
  }

  #listen(target: EventTarget, type: string, listener: (event: Event) => void, capture = true) {
    target.addEventListener(type, listener, { capture, signal: this.#listening.signal });
  }

  /** Who listens to what belongs to the page, other than the stage itself. */
  #recordListeners() {
    const { signal: ours } = this.#listening;
    const contained = new WeakMap<object, EventListener>();
    // Happy-dom lets what a listener throws out of `dispatchEvent`; a browser does not.
    const contain = (listener: EventListenerOrEventListenerObject) => {
      const act = (target: unknown, event: Event) =>
        typeof listener === 'function' ? listener.call(target, event) : listener.handleEvent(event);
      const stage = this;
      const present = contained.get(listener);
      if (present) return present;
      const created = function (this: unknown, event: Event) {
        stage.#unlessOfThePage(() => act(this, event));
      };
      contained.set(listener, created);
      return created;
    };
    const isCapturing = (options?: AddEventListenerOptions | boolean) =>
      typeof options === 'object' ? !!options.capture : !!options;

    for (const owner of [window, prototypeWith(document.body, 'addEventListener')]) {
      const stage = this;
      const { addEventListener, removeEventListener } = owner;
      const add: typeof addEventListener = function (this: EventTarget, type, listener, options) {
        const target = this ?? window;
        const { signal } = (typeof options === 'object' && options) || {};
        const isOfPage = target === window || target instanceof Node;
        if (!isOfPage || signal === ours || !listener) {
          addEventListener.call(target, type, listener, options);
          return;
        }
        stage.#listeners.push({ target, type, listener, capture: isCapturing(options), signal });
        addEventListener.call(target, type, contain(listener), options);
      };
      const remove: typeof removeEventListener = function (this: EventTarget, type, listener, options) {
        const target = this ?? window;
        stage.#listeners = stage.#listeners.filter(
          (each) =>
            each.target !== target ||
            each.type !== type ||
            each.listener !== listener ||
            each.capture !== isCapturing(options),
        );
        removeEventListener.call(target, type, (listener && contained.get(listener)) ?? listener, options);
      };
      this.#standIns.method(owner, 'addEventListener', add);
      this.#standIns.method(owner, 'removeEventListener', remove);
    }
  }

  #pairUp(live: Element, twin: Element) {
    const twins = [...twin.querySelectorAll('*')];
    for (const [at, element] of [...live.querySelectorAll('*')].entries()) {
      this.#pair(element as HTMLElement, twins[at] as HTMLElement);
    }
  }

  #pair(live: HTMLElement, twin: HTMLElement) {
    this.#twins.set(live, twin);
    const name = live.getAttribute('name') ?? live.id;
    if (name) this.#pairs.set(name, { live, twin });
    if (live.localName === 'button') this.#everyButton.push(live as HTMLButtonElement);
    if (!live.matches('input[type=email]')) return;
    const input = live as HTMLInputElement;
    this.#everyInput.push(input);
    // At the input itself: what is taken out of the page may hear something still.
    for (const type of ['verifying', 'verified', 'error']) {
      this.#listen(input, type, (event) => this.rules.heard(input, type, (event as CustomEvent).detail));
    }
  }

  /** Nothing has woken the widget yet, if there is one. */
  get #isAsleep() {
    return this.clock.now < this.#sleepsUntil;
  }

  get isRunning() {
    return this.#widget !== undefined;
  }

  /** The names that the page knows. */
  input(name: string): HTMLInputElement | undefined {
    return this.#get(name) as HTMLInputElement | undefined;
  }

  button(name: string): HTMLButtonElement | undefined {
    return this.#get(name) as HTMLButtonElement | undefined;
  }

  form(name: string): HTMLFormElement | undefined {
    return this.#get(name) as HTMLFormElement | undefined;
  }

  #get(name: string) {
    const { live } = this.#pairs.get(name) ?? {};
    return live?.isConnected ? live : undefined;
  }

  // The widget

  start() {
    if (this.#widget) return false;
    this.#sleepsUntil = this.clock.now + SLEEP_MS;
    this.#widget = install({
      apiKey: 'test_public',
      baseUrl: 'https://api.example',
      messages: MESSAGES,
      ...this.options,
    });
    this.rules.optionsChanged();
    return true;
  }

  destroy() {
    if (!this.#widget) return false;
    const widget = this.#widget;
    this.#unlessOfThePage(() => widget.destroy());
    this.#widget = undefined;
    this.rules.destroyed();
    return true;
  }

  set(options: GivenOptions) {
    this.options = { ...this.options, ...options };
    this.rules.optionsChanged();
    this.#unlessOfThePage(() => this.#widget?.set(options));
  }

  verify(input: HTMLInputElement) {
    if (!this.#widget) return false;
    this.#sleepsUntil = 0;
    this.rules.toVerify(input);
    this.#promises++;
    void this.#widget.verify(input).then(
      (detail) => {
        this.#promises--;
        this.rules.promised(detail);
      },
      (error) => this.rules.break(`verify() is rejected: ${error}`),
    );
    return true;
  }

  // The visitor

  type(input: HTMLInputElement, value: string) {
    this.focus(input);
    if (!canBeUsed(input) || input.readOnly) return;
    this.browser.type(input, value);
  }

  /** One field from beginning to end; what is known already needs no answer. */
  async fillIn(input: HTMLInputElement, value: string, answer: AnswerName) {
    this.type(input, value);
    this.focus(null);
    await settle();
    for (const question of this.service.inFlight) if (question.email === value) question.answer(answer);
  }

  focus(element: HTMLElement | null) {
    this.browser.focus(element);
    // To go from one to the other is an action of its own.
    this.rules.acted();
  }

  pressEnter(input: HTMLInputElement) {
    this.focus(input);
    this.rules.touched(input);
    const { form } = input;
    const act = () => this.browser.enter(input);
    if (form && submitsOnEnter(form)) this.#attempt(form, defaultButton(form) as HTMLButtonElement, act);
    else if (form) this.rules.pressedInVain(form, null, act);
    else {
      this.rules.entered(input);
      act();
    }
  }

  #attempt(form: HTMLFormElement, button: HTMLButtonElement | undefined, act: () => void) {
    const { submits } = this.#habits;
    const isTakenOver = button && this.#takesOver(button);
    if (isTakenOver && submits === 'after a question') {
      this.rules.pressedInVain(form, button, act);
      return;
    }
    // A widget that sleeps hears no click. The page's own submission wakes it, with the button that the page names.
    const isUnheard = isTakenOver && submits === 'at once, naming no button' && this.#isAsleep;
    this.rules.tries(form, isUnheard ? null : (button ?? null), act);
  }

  /** @param moves whether the press moves the focus: not in every browser, and a script's click never does */
  press(button: HTMLButtonElement, moves: boolean) {
    if (moves) this.focus(button);
    const { form } = button;
    const act = () => this.browser.click(button);
    if (form && button.type === 'submit') this.#attempt(form, button, act);
    else if (form && button.type === 'reset') this.reset(form, act);
    else if (form) this.rules.pressedInVain(form, null, act);
    else act();
  }

  reset(form: HTMLFormElement, act = () => this.browser.reset(form)) {
    this.rules.closes(form);
    act();
    this.#disturbIn(form);
    // The values change after the event, and nothing tells whether they do: it counts from the next task on.
    const widget = this.#widget;
    if (!widget || this.#isAsleep) this.rules.reset(form);
    // Another widget, installed since, has not heard of it.
    else this.clock.later(() => widget === this.#widget && this.rules.reset(form), 0);
  }

  takeSuggestion(input: HTMLInputElement) {
    const button = input.hasAttribute('aria-describedby') && canBeUsed(input) && suggestionOf(input);
    if (!button) return false;
    this.browser.click(button);
    return true;
  }

  // The page's own scripts

  requestSubmit(form: HTMLFormElement, submitter: Submitter) {
    // happy-dom's form is a proxy, which would call it on what is behind it.
    const { requestSubmit } = HTMLFormElement.prototype;
    this.rules.tries(form, submitter, () => requestSubmit.call(form, submitter), true);
  }

  setValue(input: HTMLInputElement, value: string) {
    input.value = value;
    this.rules.disturbed(input);
  }

  setValidity(input: HTMLInputElement, message: string) {
    input.setCustomValidity(message);
    this.rules.pageSays(input, message);
  }

  toggle(element: Control | HTMLFormElement, attribute: string) {
    this.#onBoth(element, (each) => each.toggleAttribute(attribute));
    this.#disturbIn(element);
  }

  toggleVisibility(element: Control | HTMLFormElement) {
    const visibility = element.style.visibility ? '' : 'hidden';
    this.#onBoth(element, ({ style }) => {
      style.visibility = visibility;
    });
    this.#disturbIn(element);
  }

  /** @param json `null` takes the override away again */
  override(element: Control | HTMLFormElement, option: 'allow' | 'messages', json: string | null) {
    const name = `data-email-verify-${option}`;
    this.#onBoth(element, (each) =>
      json === null ? each.removeAttribute(name) : each.setAttribute(name, json),
    );
    this.#disturbIn(element);
  }

  /** Breaks something that the status needs, or mends it. */
  breakOrMend(name: BreakageName) {
    const standIns = this.#broken.get(name) ?? new StandIns();
    if (this.#broken.delete(name)) {
      standIns.takeBack();
      return;
    }
    this.#broken.set(name, standIns);
    BREAKAGES[name](standIns);
    this.rules.paintingBroke();
  }

  #mendAll() {
    // The last first: each puts back what it has found.
    for (const standIns of [...this.#broken.values()].reverse()) standIns.takeBack();
    this.#broken.clear();
  }

  setNovalidate(form: HTMLFormElement) {
    form.setAttribute('novalidate', '');
    this.#twins.get(form)?.setAttribute('novalidate', '');
    this.rules.unsettled();
  }

  /** Takes an element out of its slot, or puts it back. */
  move(name: string) {
    const pair = this.#pairs.get(name);
    if (!pair) return false;
    const slots = this.#slots.get(name) ?? { live: pair.live.parentElement, twin: pair.twin.parentElement };
    this.#slots.set(name, slots);
    // An input that is tied to a form by its attribute loses it, and the form's overrides with it.
    const before = this.#inputsOf(pair.live);
    for (const side of ['live', 'twin'] as const) {
      const slot = slots[side];
      if (pair[side].parentElement) pair[side].remove();
      else slot?.append(pair[side]);
    }
    this.#disturbIn(pair.live, before);
    return true;
  }

  #slots = new Map<string, { live: Element | null; twin: Element | null }>();

  /** As a framework does whose key has changed: a new node takes the old one's place, with its value. */
  renew(name: string) {
    const pair = this.#pairs.get(name);
    if (!pair?.live.isConnected) return false;
    const twin = pair.twin.cloneNode(true) as HTMLElement;
    const live = pair.twin.cloneNode(true) as HTMLElement;
    const before = pair.live as HTMLInputElement;
    if (before.localName === 'input') (live as HTMLInputElement).value = before.value;
    pair.twin.replaceWith(twin);
    before.replaceWith(live);
    this.#disturbIn(before);
    this.#pair(live, twin);
    this.#disturbIn(live);
    return true;
  }

  /** As a page that adds a row by copying the one above, with whatever stands on it. */
  copyRow() {
    const row = this.#pairs.get('A');
    if (!row?.live.isConnected || this.#pairs.has('B')) return false;
    const [live, twin] = [row.live, row.twin].map((element) => {
      const slot = document.createElement('div');
      const copy = element.cloneNode() as HTMLInputElement;
      copy.setAttribute('name', 'B');
      slot.append(copy);
      element.parentElement?.after(slot);
      return copy;
    }) as [HTMLInputElement, HTMLInputElement];
    this.#takeIn(live, twin);
    return true;
  }

  /** As a page that puts back what it had kept, with whatever stood on it. */
  restore(name: string) {
    const row = this.#pairs.get(name);
    if (!row?.live.isConnected) return false;
    const live = row.live.cloneNode() as HTMLInputElement;
    const twin = row.twin.cloneNode() as HTMLInputElement;
    row.live.replaceWith(live);
    row.twin.replaceWith(twin);
    this.#disturbIn(row.live);
    this.#takeIn(live, twin);
    return true;
  }

  #takeIn(live: HTMLInputElement, twin: HTMLInputElement) {
    this.#pair(live, twin);
    this.rules.copied(live);
    this.#disturbIn(live);
  }

  #disturbIn(element: Element, more: HTMLInputElement[] = []) {
    this.rules.unsettled();
    for (const input of new Set([...more, ...this.#inputsOf(element)])) this.rules.disturbed(input);
  }

  /** The inputs in an element or tied to it. */
  #inputsOf(element: Element) {
    return this.#everyInput.filter((input) => element.contains(input) || input.form === element);
  }

  leave() {
    window.dispatchEvent(new Event('pagehide'));
    this.rules.left();
  }

  comeBack() {
    this.rules.optionsChanged();
    window.dispatchEvent(new Event('pageshow'));
  }

  // The service

  answer(at: number, name: AnswerName) {
    const { open } = this.service;
    const question = open[at % open.length];
    if (!question) return undefined;
    question.answer(name);
    return question.email;
  }

  /** The machine sleeps. */
  async sleep(delayMs: number) {
    this.rules.slept(delayMs);
    await this.clock.sleep(delayMs);
  }

  /** After each step: lets happen what is due, and looks at what came of it. */
  async look() {
    await settle();
    this.clock.draw();
    const { rules } = this;
    for (const accident of this.#accidents) rules.break(`an unhandled rejection: ${accident}`);
    if (this.#seen !== this.#submissions) {
      rules.break(
        `the page has seen ${this.#seen} submissions, of which ${this.#submissions} were carried out`,
      );
    }
    if (!this.isRunning) this.#checkAsFound();
    rules.check();
    if (rules.broken) throw new Error(rules.broken);
  }

  /** The widget cannot know what stands on a copy that nobody has used. The page removes it. */
  #tidyCopies() {
    for (const input of this.#everyInput) {
      const kind = this.rules.kindOf(input);
      const twin = this.#twins.get(input) as Element;
      const copyOver = (from: Element, to: Element, name: string) =>
        from.hasAttribute(name) ? to.setAttribute(name, from.getAttribute(name)!) : to.removeAttribute(name);
      for (const name of OURS) {
        if (kind === 'copy') copyOver(twin, input, name);
        // What the page had there was gone already when it was copied.
        else if (kind === 'copy in use' && !input.hasAttribute(name) && name !== 'aria-describedby')
          twin.removeAttribute(name);
      }
    }
  }

  #checkAsFound() {
    const { rules } = this;
    this.#tidyCopies();
    const { body } = document;
    // In which order attributes were set is no difference.
    if (!body.isEqualNode(this.#twin)) {
      rules.break(`destroy leaves ${body.innerHTML}\n  of ${this.#twin.innerHTML}`);
    }
    for (const [element, its] of this.#twins) {
      if (!element.isEqualNode(its))
        rules.break(`destroy leaves ${element.outerHTML}\n  of ${its.outerHTML}`);
    }
    const left = this.#listeners.find(({ signal }) => !signal?.aborted);
    if (left) rules.break(`destroy leaves a listener for ${left.type} behind`);
  }

  /** All is answered, and time passes: then a visitor who submits does so, or is told why not. */
  async end() {
    this.#mendAll();
    await this.#rest();
    this.rules.checkRest();
    if (this.#promises) this.rules.break('verify() promises nothing for ever');
    await this.look();
    for (const name of ['form', 'other']) await this.#submitOnce(name);
    this.destroy();
    await this.look();
    await this.clock.pass(60_000);
    await this.look();
  }

  async #rest() {
    this.service.mood = 'deliverable';
    for (const question of this.service.open) question.answer('deliverable');
    await this.look();
    await this.clock.pass((this.options.verificationTimeout ?? DEFAULTS.verificationTimeout) * 1000 + 1000);
    await this.look();
  }

  async #submitOnce(name: string) {
    const form = this.form(name);
    const button = form && defaultButton(form);
    if (!button || button.disabled || button.closest('[inert]')) return;
    const before = this.#submissions;
    this.rules.acted();
    this.press(button as HTMLButtonElement, true);
    await this.#rest();
    const count = this.#submissions - before;
    if (!count && !this.rules.isTold(form, this.browser.bubble?.message)) {
      this.rules.break('a visitor presses the button, and neither submits nor is told why');
    }
    await this.look();
  }

  close() {
    this.#mendAll();
    this.#widget?.destroy();
    this.#listening.abort();
    document.body.innerHTML = '';
    this.#standIns.takeBack();
    process.off('unhandledRejection', this.#accident);
  }
}

function prototypeWith(object: object, name: string): EventTarget {
  return Object.hasOwn(object, name)
    ? (object as EventTarget)
    : prototypeWith(Object.getPrototypeOf(object), name);
}

/** A visitor reaches only what can be seen and is not disabled. */
export const canBeUsed = (element: Control) => isReachable(element) && !element.disabled;

export const isUsable = (input: HTMLInputElement) => canBeUsed(input) && isMonitored(input);

function suggestionOf(input: HTMLInputElement) {
  try {
    return suggestionIn(input);
  } catch {
    return null;
  }
}
