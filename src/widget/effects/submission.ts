/**
 * A submission tried while a verdict is pending: held, then carried out once, with its submitter, or dropped.
 * Knows fields only by what they say of themselves; asks no service and shows nothing.
 *
 * There are two ways in. A click and Enter find the pending fields closed (custom validity), so that the
 * browser's own validation says no; the `invalid` event that follows is how we learn that the page has let it
 * come so far. Whatever gets as far as a `submit` event is stopped there.
 */

import type { Browser } from '../browser.ts';
import { attributeOf, body, controlsOf, findAll, matches } from '../prototypes.ts';
import { SILENT } from './validity.ts';

/** What a submission needs to know of a monitored input. */
export interface Judged {
  readonly input: HTMLInputElement;
  /** Whether it holds submissions at all. */
  guards(): boolean;
  isPending(): boolean;
  isBlocking(): boolean;
  /** Whether what its validity says is that a verdict is pending. */
  isClosed(): boolean;
  shut(): void;
  /** A submission is tried: a value that has no verdict is asked for now. */
  attempt(): void;
  /**
   * Notices a value that was set without an event.
   *
   * @returns whether anything is known, or being found out
   */
  look(): boolean;
  /** Brings what can be seen up to date; `lifted` takes the validity away for once. */
  render(lifted?: boolean): void;
  /** Shows its message as a browser does: focus and bubble. */
  report(): unknown;
}

/** What submissions ask of the page. */
export interface SubmissionSite {
  readonly browser: Browser;
  /** The field of an input, if it is monitored. */
  fieldOf(input: HTMLInputElement): Judged | undefined;
  /** The fields of a form; those that no visitor has touched only where asked for. */
  fieldsOf(form: HTMLFormElement, untouchedToo?: boolean): Judged[];
  /** A submission of this form is tried: the page may have set `novalidate` anew. */
  validate(form: HTMLFormElement): void;
}

export interface Submissions {
  /** A click, or a key, anywhere. */
  pressed(event: Event): void;
  /** An `invalid` event. */
  refused(event: Event): void;
  submitted(event: SubmitEvent): void;
  /** A field has its verdict, or is gone. */
  settled(): void;
  /** The visitor has changed a monitored value, the form was reset, or (without one) the page is being left. */
  drop(form?: HTMLFormElement | null): void;
}

interface Held {
  readonly submitter: HTMLElement | null;
  /** Where the focus was: a visitor who has gone elsewhere is not pulled back. */
  readonly focused: Element | null;
}

type Form = HTMLFormElement;
type Button = HTMLButtonElement | HTMLInputElement;

export function createSubmissions({ browser, fieldOf, fieldsOf, validate }: SubmissionSite): Submissions {
  const held = new Map<Form, Held>();
  /** The press that the browser may be about to answer. */
  let gesture: { press: Event; submitter: Button } | undefined;
  let resumed: Form | undefined;
  /** Whether the browser is being asked if it is submitting already; and whether it has answered that it is not. */
  let probe: 'asked' | 'idle' | undefined;

  const guardsOf = (form: Form) => fieldsOf(form).filter((field) => field.guards());

  function hold(form: Form, button?: HTMLElement | null) {
    // It may have left the form by now, or never have been in it: a script can submit one as another is pressed.
    held.set(form, {
      submitter: (button as Button | undefined)?.form === form ? (button as Button) : null,
      focused: document.activeElement,
    });
  }

  function pressed(event: Event) {
    gesture = undefined;
    const button = event.type === 'click' ? event.composedPath().find(isButton) : undefined;
    const control = button ?? enteredIn(event);
    if (!control) return;
    const { form } = control;
    if (!form) {
      // Enter outside a form is an attempt to submit, too.
      if (!button) fieldOf(control as HTMLInputElement)?.attempt();
      return;
    }
    const submitter = button && /submit|image/.test(button.type) ? button : null;
    const lifted = !!submitter && isExempt(form, submitter);
    if (!lifted) validate(form);
    // Enter is followed by a click or a `submit`: only those say that a submission is meant, and only for them
    // a value that no visitor has touched is asked for.
    const fields = fieldsOf(form, !!submitter && !lifted);
    for (const field of fields) {
      if (!lifted) {
        if (submitter || field.isPending() || field.isBlocking()) field.attempt();
        if (field.isPending() && field.guards()) field.shut();
      }
      // formmethod=dialog is validated by the browser all the same: a dialog closes whatever we think.
      field.render(lifted);
    }
    if (!submitter) return;
    gesture = { press: event, submitter };
    // The browser validates in this task; who asks later is the page.
    browser.setTimeout(() => {
      gesture = undefined;
      for (const field of fields) field.render();
    }, 0);
  }

  function refused(event: Event) {
    const input = event.composedPath()[0] as HTMLInputElement;
    const form = input.form as Form;
    const closed: Element[] = form
      ? fieldsOf(form)
          .filter((field) => field.isClosed())
          .map((field) => field.input)
      : [];
    if (!closed.includes(input)) {
      if (input.validationMessage === SILENT) {
        // A bubble with nothing in it would help nobody.
        event.preventDefault();
        if (gesture) input.focus();
        gesture = undefined;
      }
      return;
    }
    // No bubble: in some browsers its text can't be taken back once the verdict is there. Nor is it for the page's
    // own listeners: a usual one sets a custom validity that nothing but an edit would clear.
    event.preventDefault();
    event.stopImmediatePropagation();
    if (probe) {
      probe = 'idle';
      return;
    }
    // With something else wrong, nothing would have been submitted. A fieldset is wrong with what is in it.
    const isFine = (control: Element) =>
      closed.includes(control) || !matches(control, ':invalid:not(fieldset)');
    if (!controlsOf(form).every(isFine)) return;
    // The page may have set novalidate anew: what is asked with it would be submitted.
    validate(form);
    // Within a submission a second one is ignored without a word; where the page only asks for validity, it is
    // not, and gets here again.
    probe = 'asked';
    HTMLFormElement.prototype.requestSubmit.call(form);
    // A phase of 0: the press has been through all listeners, and its own submission is the one that is going on.
    if (probe === 'asked')
      hold(form, (gesture?.press.eventPhase === 0 ? gesture : held.get(form))?.submitter);
    probe = undefined;
  }

  function submitted(event: SubmitEvent) {
    const form = event.composedPath()[0] as Form;
    if (form === resumed) return;
    held.delete(form);
    const { submitter } = event;
    if (isExempt(form, submitter)) return;
    validate(form);
    for (const field of fieldsOf(form, true)) field.attempt();
    const guards = guardsOf(form);
    const pending = guards.filter((field) => field.isPending());
    const blocking = guards.find((field) => field.isBlocking());
    if (!blocking && !pending.length) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (blocking) {
      blocking.render();
      blocking.report();
      return;
    }
    for (const field of pending) field.shut();
    // An event that a script has made submits nothing, and neither do we for it.
    if (event.isTrusted) hold(form, submitter);
  }

  function settled() {
    for (const [form, attempt] of held) {
      const blocking = guardsOf(form).find((field) => field.isBlocking());
      if (!blocking) continue;
      held.delete(form);
      // Nobody who has moved on is pulled back.
      if ([attempt.focused, blocking.input, body()].includes(document.activeElement)) blocking.report();
    }
    // A fresh task: a submission asked for within a listener of one is ignored by browsers.
    if (held.size) {
      browser.setTimeout(() => {
        for (const [form, attempt] of held) resume(form, attempt);
      }, 0);
    }
  }

  function resume(form: Form, attempt: Held) {
    // A script may have put another value, or another input, there since.
    for (const field of fieldsOf(form, true)) if (!field.look()) field.attempt();
    if (guardsOf(form).some((field) => field.isPending()) || held.get(form) !== attempt) return;
    held.delete(form);
    const { submitter } = attempt;
    if (!form.isConnected || (opensWindow(form, submitter) && !navigator.userActivation.isActive)) return;
    // Many pages disable what was pressed: its name and value would be left behind.
    const button = (submitter ?? {}) as Button;
    const { disabled } = button;
    button.disabled = false;
    resumed = form;
    try {
      HTMLFormElement.prototype.requestSubmit.call(form, submitter);
    } catch {
      // The submitter is one no longer.
    }
    resumed = undefined;
    button.disabled = disabled;
  }

  return {
    pressed,
    refused,
    submitted,
    settled,
    drop(form) {
      if (form === undefined) held.clear();
      else held.delete(form as Form);
    },
  };
}

const isButton = (node: EventTarget): node is Button => {
  const { localName, type } = node as Button;
  return /^(button|input)$/.test(localName) && /^(submit|image|button)$/.test(type);
};

/** The input in which Enter is pressed and may submit the form: not while an IME is composing. */
function enteredIn(event: Event): HTMLInputElement | undefined {
  const { key, isComposing } = event as KeyboardEvent;
  if (key !== 'Enter' || isComposing) return undefined;
  const [target] = event.composedPath() as [HTMLInputElement];
  return target.localName === 'input' && !isButton(target) ? target : undefined;
}

/** What the submitter says, else what its form says. */
const sent = (form: Form, submitter: Element | null | undefined, name: string) =>
  (submitter && attributeOf(submitter, `form${name}`)) ?? attributeOf(form, name) ?? '';

/** Whether the author wants this submission unchecked. */
export const isExempt = (form: Form, submitter?: Element | null) =>
  (submitter && attributeOf(submitter, 'formnovalidate') !== null) ||
  /^dialog$/i.test(sent(form, submitter, 'method'));

/** Whether the answer goes to a window that is not there yet: browsers block that without a recent gesture. */
function opensWindow(form: Form, submitter: Element | null): boolean {
  const base = findAll('base[target]')[0];
  const target = sent(form, submitter, 'target') || (base && attributeOf(base, 'target'));
  if (!target || /^_(self|parent|top)$/i.test(target)) return false;
  return !findAll('iframe').some((frame) => attributeOf(frame, 'name') === target);
}
