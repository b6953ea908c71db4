/**
 * What a browser does around the events that happy-dom fires: submissions as the HTML standard has them (validated
 * first, one at a time, with their submitter), Enter, reset, focus, and validity that a barred control hides. As
 * little as the sequences need.
 */

/** Puts stand-ins in their places, and back what was there. */
export class StandIns {
  #undo: (() => void)[] = [];

  put(target: object, name: string, descriptor: PropertyDescriptor) {
    const before = Object.getOwnPropertyDescriptor(target, name);
    Object.defineProperty(target, name, { configurable: true, ...descriptor });
    this.#undo.unshift(() => {
      if (before) Object.defineProperty(target, name, before);
      else delete (target as Record<string, unknown>)[name];
    });
  }

  method(target: object, name: string, value: unknown) {
    this.put(target, name, { value, writable: true });
  }

  takeBack() {
    for (const undo of this.#undo) undo();
    this.#undo = [];
  }
}

/** What a browser fires, other than what a script does. */
export function fire<E extends Event>(target: EventTarget, event: E): E {
  Object.defineProperty(event, 'isTrusted', { value: true });
  target.dispatchEvent(event);
  return event;
}

const bubbling = { bubbles: true, composed: true };

type Control = HTMLInputElement | HTMLButtonElement;

export const controlsOf = (form: HTMLFormElement) => [...form.elements] as Control[];

const isSubmitter = (control: Element): control is Control =>
  /^(input|button)$/.test(control.localName) && /^(submit|image)$/.test((control as Control).type);

/** Whether the browser is not to validate, by what form and submitter say at this moment. */
export const isUnvalidated = (form: HTMLFormElement, submitter: Control | null) =>
  form.hasAttribute('novalidate') || !!submitter?.hasAttribute('formnovalidate');

const isDialog = (form: HTMLFormElement, submitter: Control | null) =>
  (submitter?.getAttribute('formmethod') ?? form.getAttribute('method')) === 'dialog';

/** Whether the author wants this submission unchecked. */
export const isExempt = (form: HTMLFormElement, submitter: Control | null) =>
  !!submitter?.hasAttribute('formnovalidate') || isDialog(form, submitter);

const isRendered = (element: Element) => element.isConnected && !element.closest('[hidden]');

/** What `getComputedStyle` says: the nearest element that has a `visibility` of its own decides. */
function visibilityOf(element: Element): string {
  for (let each: Element | null = element; each; each = each.parentElement) {
    const { visibility } = (each as HTMLElement).style;
    if (visibility) return visibility;
  }
  return 'visible';
}

/** A visitor can see the element, and reach it by pointer or key. */
export const isReachable = (element: Element) =>
  isRendered(element) && visibilityOf(element) === 'visible' && !element.closest('[inert]');

const messageBeneath = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'validationMessage')?.get;

/** The custom validity, though the control be barred from showing it. */
export const customValidityOf = (input: HTMLInputElement): string =>
  input.validity.customError ? messageBeneath?.call(input) : '';

interface VisibilityOptions {
  visibilityProperty?: boolean;
  checkVisibilityCSS?: boolean;
}

export interface BrowserEvents {
  /**
   * A submission passes its `submit` event.
   *
   * @param named whether the submitter's name and value are sent: a browser leaves out those of a disabled button
   */
  submitted(form: HTMLFormElement, submitter: Control | null, named: boolean): void;
  /** The sequence's time. */
  now(): number;
}

export class BrowserStandIn {
  /** The bubble that is shown: one at a time, and an edit or another press takes it away. */
  bubble: { input: HTMLInputElement; message: string } | undefined;
  #refused:
    | { input: HTMLInputElement; texts: Set<string>; at: number; leftAt?: number | undefined }
    | undefined;

  #enteredAt: number | undefined;
  #on: BrowserEvents;
  #submitting = new Set<HTMLFormElement>();
  /** What the focused input held before it was typed in: left with something else, it fires `change`. */
  #before: string | undefined;

  constructor(on: BrowserEvents, standIns: StandIns) {
    this.#on = on;
    const browser = this;

    const rect = { x: 0, y: 0, left: 0, top: 0, right: 100, bottom: 20, width: 100, height: 20 };
    const none = { ...rect, right: 0, bottom: 0, width: 0, height: 0 };
    standIns.method(Element.prototype, 'getBoundingClientRect', function (this: Element) {
      return isRendered(this) ? rect : none;
    });
    standIns.method(
      Element.prototype,
      'checkVisibility',
      function (this: Element, asked?: VisibilityOptions) {
        const looksAtStyle = asked?.visibilityProperty ?? asked?.checkVisibilityCSS;
        return isRendered(this) && (!looksAtStyle || visibilityOf(this) === 'visible');
      },
    );
    // What it returns says at each moment what holds then.
    standIns.method(window, 'getComputedStyle', (element: Element) => ({
      get visibility() {
        return visibilityOf(element);
      },
      direction: 'ltr',
    }));
    const matches = Element.prototype.matches;
    standIns.method(Element.prototype, 'matches', function (this: Control, selector: string) {
      if (selector.startsWith(':invalid')) return this.willValidate && !this.validity.valid;
      return matches.call(this, selector);
    });
    standIns.put(HTMLInputElement.prototype, 'validationMessage', {
      get(this: HTMLInputElement) {
        return this.willValidate ? messageBeneath?.call(this) : '';
      },
    });
    standIns.method(HTMLInputElement.prototype, 'checkValidity', function (this: Control) {
      return check(this) === 'right';
    });
    standIns.method(HTMLInputElement.prototype, 'reportValidity', function (this: HTMLInputElement) {
      return browser.#report([this]);
    });
    standIns.method(
      HTMLFormElement.prototype,
      'requestSubmit',
      function (this: HTMLFormElement, given?: Control | null) {
        const submitter = given ?? null;
        if (submitter && !isSubmitter(submitter)) throw new TypeError('Not a submit button.');
        if (submitter && submitter.form !== this)
          throw new DOMException('Not of this form.', 'NotFoundError');
        browser.#submit(this, submitter);
      },
    );
  }

  // What a visitor does

  /** @param element what is entered; `null` when the visitor goes elsewhere */
  focus(element: HTMLElement | null) {
    const active = document.activeElement as HTMLInputElement;
    if (active === element) return;
    this.#leaveRefused(element);
    if (active.localName === 'input') this.#commit(active);
    if (element) element.focus();
    else active.blur();
  }

  /** The widget notices at the end of a moment who has left: nobody who is back by then, or who left in the bubble's. */
  #leaveRefused(next: HTMLElement | null) {
    const now = this.#on.now();
    const refused = this.refused && this.#refused;
    if (!refused || now === refused.at) return;
    if (next !== refused.input) refused.leftAt ??= now;
    else if (refused.leftAt === now) refused.leftAt = undefined;
  }

  /**
   * The input that has had the last bubble, as far as the widget can know, while it keeps the focus and has a text of the moment of the bubble: the one
   * that was refused, or one that a script has put there before the widget noticed the bubble, at the moment's end.
   */
  get refused(): HTMLInputElement | undefined {
    const refused = this.#refused;
    if (!refused || (refused.leftAt ?? this.#on.now()) !== this.#on.now()) return undefined;
    const text = refused.input.value.trim();
    if (this.#on.now() === refused.at) refused.texts.add(text);
    return refused.texts.has(text) ? refused.input : undefined;
  }

  type(input: HTMLInputElement, value: string) {
    this.focus(input);
    this.bubble = undefined;
    // Browsers fire it before each change that a visitor types or pastes by a key, and before an autofill.
    fire(
      input,
      new KeyboardEvent('keydown', { ...bubbling, cancelable: true, key: value.at(-1) ?? 'Delete' }),
    );
    this.#before ??= input.value;
    input.value = value;
    fire(input, new InputEvent('input', bubbling));
  }

  click(button: Control) {
    this.bubble = undefined;
    if (button.disabled || !button.isConnected) return;
    const event = fire(button, new Event('click', { ...bubbling, cancelable: true }));
    const { form } = button;
    if (event.defaultPrevented || !form) return;
    if (isSubmitter(button)) this.#submit(form, button);
    if (button.type === 'reset') this.reset(form);
  }

  enter(input: HTMLInputElement) {
    this.focus(input);
    this.bubble = undefined;
    this.#enteredAt = this.#on.now();
    const key = fire(input, new KeyboardEvent('keydown', { ...bubbling, cancelable: true, key: 'Enter' }));
    if (key.defaultPrevented) return;
    this.#commit(input);
    const { form } = input;
    if (!form) return;
    const button = defaultButton(form);
    if (button) this.click(button);
    else if (submitsOnEnter(form)) this.#submit(form, null);
  }

  reset(form: HTMLFormElement) {
    const event = fire(form, new Event('reset', { bubbles: true, cancelable: true }));
    if (event.defaultPrevented) return;
    for (const control of controlsOf(form)) {
      if (control.localName === 'input') control.value = (control as HTMLInputElement).defaultValue;
    }
  }

  // What scripts ask for

  reportValidity(form: HTMLFormElement) {
    return this.#report(controlsOf(form));
  }

  checkValidity(form: HTMLFormElement) {
    const wrong = controlsOf(form).filter((control) => check(control) === 'wrong');
    // In the moment of Enter, nobody but the browser knows whether a bubble follows from what is refused.
    if (wrong[0] && this.#enteredAt === this.#on.now()) this.#refuse(wrong[0] as HTMLInputElement);
  }

  #refuse(input: HTMLInputElement) {
    this.#refused = { input, texts: new Set([input.value.trim()]), at: this.#on.now() };
  }

  #commit(input: HTMLInputElement) {
    const isChanged = input.value !== (this.#before ?? input.value);
    this.#before = undefined;
    if (isChanged) fire(input, new Event('change', { bubbles: true }));
  }

  /** Every control that is wrong is told; the first that the page does not deal with itself gets focus and bubble. */
  #report(controls: Control[]) {
    const verdicts = controls.map((control) => [control, check(control)] as const);
    const [first] = verdicts.find(([, verdict]) => verdict === 'wrong') ?? [];
    if (first) {
      this.bubble = {
        input: first as HTMLInputElement,
        message: (first as HTMLInputElement).validationMessage,
      };
      this.focus(first);
      this.#refuse(this.bubble.input);
    }
    return verdicts.every(([, verdict]) => verdict === 'right');
  }

  #submit(form: HTMLFormElement, submitter: Control | null) {
    if (!form.isConnected || this.#submitting.has(form)) return;
    this.#submitting.add(form);
    let goesOn = false;
    try {
      goesOn = isUnvalidated(form, submitter) || this.#report(controlsOf(form));
      if (goesOn) {
        const event = new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter });
        goesOn = !fire(form, event).defaultPrevented;
      }
    } finally {
      this.#submitting.delete(form);
    }
    if (goesOn) this.#on.submitted(form, submitter, sends(form, submitter));
  }
}

/** Puts together what a form sends, as far as the submitter goes. @returns whether its name and value are sent, once */
function sends(form: HTMLFormElement, submitter: Control | null): boolean {
  const formData = new FormData();
  if (submitter?.name && !submitter.disabled) formData.append(submitter.name, submitter.value);
  fire(form, Object.assign(new Event('formdata', { bubbles: true }), { formData }));
  return !!submitter && formData.getAll(submitter.name).join() === submitter.value;
}

/** The button that Enter presses; a disabled one keeps Enter from doing anything. */
export const defaultButton = (form: HTMLFormElement) => controlsOf(form).find(isSubmitter);

/** Without a button, a form of one field is submitted all the same. */
export const submitsOnEnter = (form: HTMLFormElement) => {
  const button = defaultButton(form);
  return button
    ? !button.disabled
    : controlsOf(form).filter(({ type }) => /^(email|text)$/.test(type)).length < 2;
};

/** Asks one control, which tells of what is wrong with it; the page may deal with that itself. */
function check(control: Control): 'right' | 'wrong' | 'dealt with' {
  if (control.localName !== 'input' || !control.willValidate || control.validity.valid) return 'right';
  return fire(control, new Event('invalid', { cancelable: true })).defaultPrevented ? 'dealt with' : 'wrong';
}
