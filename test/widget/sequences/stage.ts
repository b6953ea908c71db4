/** One sequence's page with the widget in it: what can be done there, each told to the rules that watch over it. */
import { type GivenOptions, install, type Widget } from '../../../src/widget/index.ts';
import { DEFAULTS, type Options } from '../../../src/widget/options.ts';
import { suggestionIn } from '../page-under-test.ts';
import { BrowserStandIn, defaultButton, StandIns, submitsOnEnter } from './browser.ts';
import { Clock, settle } from './clock.ts';
import { LAYOUTS, type LayoutName } from './layouts.ts';
import { isMonitored, MESSAGES, Rules, type Submitter } from './rules.ts';
import { type AnswerName, Service } from './service.ts';

type Control = HTMLInputElement | HTMLButtonElement;

/** An element of the page, and the same in a page without the widget. */
interface Pair {
  live: HTMLElement;
  twin: HTMLElement;
}

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
  #widget: Widget | undefined;
  #submissions = 0;
  #seen = 0;
  #listening = new AbortController();
  #listeners: { target: EventTarget; type: string; listener: unknown; signal: AbortSignal | undefined }[] =
    [];
  #promises = 0;
  #accidents: unknown[] = [];

  constructor(layout: LayoutName, options: GivenOptions) {
    this.options = options;
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
      get options() {
        return { ...DEFAULTS, ...stage.options } as Options;
      },
      get isRunning() {
        return stage.isRunning;
      },
      twinOf: (element) => this.#twins.get(element) as Element,
    });
    const standIns = this.#standIns;
    this.browser = new BrowserStandIn(
      {
        submitted: (form, submitter) => {
          this.#submissions++;
          this.rules.submitted(form, submitter);
        },
      },
      standIns,
    );
    standIns.method(window, 'fetch', this.service.fetch);
    standIns.method(window, 'setTimeout', clock.setTimeout);
    standIns.method(window, 'clearTimeout', clock.clearTimeout);
    standIns.method(Date, 'now', () => NOON_MS + clock.now);
    standIns.method(window, 'requestAnimationFrame', clock.requestAnimationFrame);
    standIns.method(window, 'cancelAnimationFrame', clock.cancelAnimationFrame);
    standIns.method(window, 'getComputedStyle', () => ({ visibility: 'visible', direction: 'ltr' }));
    standIns.method(
      window,
      'IntersectionObserver',
      class {
        observe() {}
        disconnect() {}
      },
    );
    // Everything is in sight, and nothing is covered.
    standIns.method(window, 'visualViewport', { offsetLeft: 0, offsetTop: 0, width: 1_000, height: 1_000 });
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
    this.#listen(window, 'input', ({ target }) => this.rules.edited(target as HTMLInputElement));
    this.#listen(document, 'submit', () => this.#seen++, false);
    this.#recordListeners();
  }

  #accident = (reason: unknown) => this.#accidents.push(reason);

  #listen(target: EventTarget, type: string, listener: (event: Event) => void, capture = true) {
    target.addEventListener(type, listener, { capture, signal: this.#listening.signal });
  }

  /** Who listens to what belongs to the page, other than the stage itself. */
  #recordListeners() {
    const { signal: ours } = this.#listening;
    for (const owner of [window, prototypeWith(document.body, 'addEventListener')]) {
      const listeners = this.#listeners;
      const { addEventListener, removeEventListener } = owner;
      const recording: typeof addEventListener = function (this: EventTarget, type, listener, options) {
        const target = this ?? window;
        const { signal } = (options ?? {}) as AddEventListenerOptions;
        const isOfPage = target === window || target instanceof Node;
        if (isOfPage && signal !== ours) listeners.push({ target, type, listener, signal });
        addEventListener.call(target, type, listener, options);
      };
      this.#standIns.method(owner, 'addEventListener', recording);
      const forgetting: typeof removeEventListener = function (this: EventTarget, type, listener, options) {
        const target = this ?? window;
        const at = listeners.findIndex(
          (known) => known.target === target && known.type === type && known.listener === listener,
        );
        if (at >= 0) listeners.splice(at, 1);
        removeEventListener.call(target, type, listener, options);
      };
      this.#standIns.method(owner, 'removeEventListener', forgetting);
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
    if (!live.matches('input[type=email]')) return;
    const input = live as HTMLInputElement;
    this.#everyInput.push(input);
    // At the input itself: what is taken out of the page may hear something still.
    for (const type of ['verifying', 'verified', 'error']) {
      this.#listen(input, type, (event) => this.rules.heard(input, type, (event as CustomEvent).detail));
    }
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
    this.#widget.destroy();
    this.#widget = undefined;
    this.rules.destroyed();
    return true;
  }

  set(options: GivenOptions) {
    this.options = { ...this.options, ...options };
    this.rules.optionsChanged();
    this.#widget?.set(options);
  }

  verify(input: HTMLInputElement) {
    if (!this.#widget) return false;
    this.rules.toVerify(input);
    this.#promises++;
    void this.#widget.verify(input).then((detail) => {
      this.#promises--;
      this.rules.promised(detail);
    });
    return true;
  }

  // The visitor

  type(input: HTMLInputElement, value: string) {
    this.focus(input);
    if (!canBeUsed(input) || input.readOnly) return;
    this.browser.type(input, value);
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
    if (form && submitsOnEnter(form)) this.rules.tries(form, defaultButton(form) ?? null, act);
    else {
      if (form) this.rules.closes(form);
      act();
    }
  }

  /** @param moves whether the press moves the focus: not in every browser, and a script's click never does */
  press(button: HTMLButtonElement, moves: boolean) {
    if (moves) this.focus(button);
    const { form } = button;
    const act = () => this.browser.click(button);
    if (form && button.type === 'submit') this.rules.tries(form, button, act);
    else if (form && button.type === 'reset') this.reset(form, act);
    else {
      if (form) this.rules.closes(form);
      act();
    }
  }

  reset(form: HTMLFormElement, act = () => this.browser.reset(form)) {
    this.rules.closes(form);
    act();
    this.#disturbIn(form);
    // The values change after the event, and nothing tells whether they do: it counts from the next task on.
    const widget = this.#widget;
    if (!widget) this.rules.reset(form);
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
    element.toggleAttribute(attribute);
    this.#twins.get(element)?.toggleAttribute(attribute);
    this.#disturbIn(element);
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
    for (const side of ['live', 'twin'] as const) {
      const slot = slots[side];
      if (pair[side].parentElement) pair[side].remove();
      else slot?.append(pair[side]);
    }
    this.#disturbIn(pair.live);
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

  #disturbIn(element: Element) {
    this.rules.unsettled();
    for (const input of this.#everyInput) {
      if (element.contains(input) || input.form === element) this.rules.disturbed(input);
    }
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

  #checkAsFound() {
    const { rules } = this;
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
    if (!button || button.disabled) return;
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
export const canBeUsed = (element: Control) =>
  element.isConnected && !element.disabled && !element.closest('[hidden]');

export const isUsable = (input: HTMLInputElement) => canBeUsed(input) && isMonitored(input);

function suggestionOf(input: HTMLInputElement) {
  try {
    return suggestionIn(input);
  } catch {
    return null;
  }
}
