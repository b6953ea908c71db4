/**
 * Holds a submission while a verdict is pending, then carries it out once, with its submitter, or drops it. Sends no
 * requests and shows nothing.
 *
 *     press (click, Enter)      the pending fields are closed: their validity is an error
 *       │
 *       ├─ the browser, or the page by requestSubmit(), validates
 *       │    `invalid` ──▶ probe: is this a submission? ──yes──▶ held ◀── a `submit` event while pending
 *       │                    └─ no, checkValidity(): nothing       │      (no press, or the fields were open)
 *       │                                                          │
 *       └─ the press's task is over, no submission is held         ├─▶ all accepted, or failed open ──▶ carried out
 *            and the press alone submits nothing:                  ├─▶ one rejected ──▶ reported
 *            the fields are open again                             └─▶ an edit, a reset, the form gone ──▶ dropped
 *
 * The fields stay closed while a submission is held, so that the page sees only the real `submit` event.
 */

import { unlessItThrows } from '../../protocol/unless-it-throws.ts';
import { browser } from '../browser.ts';
import { type FieldState, isPending } from '../field-state.ts';
import type { PageEvents } from '../page.ts';
import { body, controlsOf, matches, requestSubmit } from '../prototypes.ts';
import { type Button, enteredIn, type Form, isButton, isExempt, opensWindow } from './submission-rules.ts';
import { SILENT } from './validity.ts';

/** The part of a field that submissions use. */
export interface Judged {
  readonly _input: HTMLInputElement;
  /** Whether it can hold and block submissions. */
  _guards(): boolean;
  readonly _state: FieldState;
  _isBlocking(): boolean | undefined;
  /** Whether its validity is our error for a pending verdict. */
  _isClosed(): boolean | undefined;
  /** Sets or removes that error, until the verdict. Without a pending verdict, there is none. */
  _close(isClosed: boolean): void;
  /** A submission is tried. A value without a verdict is verified now. */
  _attempt(): void;
  /**
   * Notices a value that was set without an event.
   *
   * @returns whether there is a state for the value
   */
  _look(): boolean;
  /** Updates what the page sees. `isLifted` removes the validity message this time. */
  _show(isLifted?: boolean): void;
  /** The `invalid` event after which the browser has shown its bubble. */
  _bubble?: Event | undefined;
}

export interface Submissions {
  /** What it does with the page's events: presses anywhere, and those of forms. */
  readonly _events: Pick<PageEvents, 'click' | 'keydown' | 'invalid' | 'submit' | 'formdata'>;
  /** Whether a submission of this form waits for a verdict. */
  _isHolding(form: Form | null): boolean;
  /** A field has got its verdict, or is gone. */
  _settled(): void;
  /**
   * Drops a form's held submission: its value has changed, or it was reset. Without an argument, drops all. 1 stands for
   * the form of an input outside all forms, and drops none.
   */
  _drop(form?: Form | 1): void;
}

interface Held {
  readonly _submitter: Button | null;
  /** The focused element. If the visitor has moved on, a rejection does not take the focus. */
  readonly _focused: Element | null;
}

/**
 * @param fieldOf returns the field of an input, if it is monitored
 * @param fieldsOf returns the fields of a form, with `untouchedToo` also those that the visitor has not touched
 * @param validate is called before a submission of a form. The page may have set `novalidate` again
 */
export function createSubmissions(
  fieldOf: (input: HTMLInputElement) => Judged | undefined,
  fieldsOf: (form: Form, untouchedToo?: boolean) => Judged[],
  validate: (form: Form) => void,
): Submissions {
  const held = new Map<Form, Held>();
  /** The submit button whose press may still lead to a submission. */
  let pressedButton: Button | undefined;
  /** The form whose held submission is being carried out, and its submitter. */
  let resumed: Form | undefined;
  let resumedButton: Button | null;
  /** During a probe: `idle` once the browser has shown that it is not submitting already. */
  let probe: 'asked' | 'idle' | undefined;
  /** The first `invalid` event of an attempt to submit. The browser shows its bubble at that control. */
  let refusal: { readonly _input: HTMLInputElement; readonly _bubble: Event } | undefined;

  const guardsOf = (form: Form) => fieldsOf(form).filter((field) => field._guards());

  function hold(form: Form, button?: Button | null) {
    // The button may be in another form: it may have moved, or a script submits one form on a press in another.
    held.set(form, {
      _submitter: button?.form === form ? button : null,
      _focused: document.activeElement,
    });
    browser.explain(form, 'held');
    // Verifies every value. A press has done this already, a script that submits has not.
    for (const field of fieldsOf(form, true)) field._attempt();
  }

  /** Keeps an event from the page and from the browser. */
  function stop(event: Event) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  function release(form: Form, why: string) {
    if (held.delete(form)) browser.explain(form, why);
  }

  /** Reports a rejection as the browser does: with the focus and a bubble. */
  function report(field: Judged) {
    refusal = undefined;
    field._show();
    field._input.reportValidity();
    noticeBubble(field);
  }

  /** A page that shows messages by itself prevents the event, and so the bubble. */
  function noticeBubble(field: Judged) {
    if (refusal?._input === field._input && !refusal._bubble.defaultPrevented)
      field._bubble = refusal._bubble;
    field._show();
  }

  function pressed(event: Event) {
    refusal = pressedButton = undefined;
    const button = event.type === 'click' ? event.composedPath().find(isButton) : undefined;
    const control = button ?? enteredIn(event);
    const form = control?.form;
    if (!form) {
      // Enter outside a form counts as a submission.
      if (!button) fieldOf(control as HTMLInputElement)?._attempt();
      return;
    }
    const submitter = button?.type === 'button' ? undefined : button;
    const isLifted = !!submitter && isExempt(form, submitter);
    if (!isLifted) validate(form);
    // Only a submission verifies values that the visitor has not touched. After Enter, a click or a `submit` event
    // shows that there is one.
    const fields = fieldsOf(form, !!submitter && !isLifted);
    for (const field of fields) {
      if (!isLifted) {
        if (submitter || isPending(field._state) || field._isBlocking()) field._attempt();
        if (field._guards()) field._close(true);
      }
      // The browser validates formmethod=dialog too. Without our validity message, the dialog can close.
      field._show(isLifted);
    }
    pressedButton = submitter;
    // The browser validates in this task. A later validation is the page's.
    browser._setTimeout(() => {
      // After a press that submits nothing, the page may submit later. The fields are open then, because only a `submit`
      // event names the submitter.
      const isOver = (!submitter || event.defaultPrevented) && !held.has(form);
      for (const field of fields) {
        if (isOver) field._close(false);
        // Enter submits a form without a button, too. With one, the bubble belongs to the click that follows.
        if (submitter === pressedButton && (!isOver || !event.defaultPrevented)) noticeBubble(field);
      }
      if (submitter) pressedButton = undefined;
    });
  }

  function refused(event: Event) {
    const input = event.composedPath()[0] as HTMLInputElement;
    const form = input.form as Form;
    // Without a form, there are none.
    const closed: Element[] = fieldsOf(form)
      .filter((field) => field._isClosed())
      .map((field) => field._input);
    refusal ??= { _input: input, _bubble: event };
    if (!closed.includes(input)) {
      if (input.validationMessage === SILENT) {
        // The browser would show an empty bubble.
        event.preventDefault();
        if (pressedButton) input.focus();
        pressedButton = undefined;
      }
      return;
    }
    // No bubble, because some browsers keep its text after the verdict. The page's listeners do not get the event: many
    // set a custom validity that only an edit would clear.
    stop(event);
    if (probe) {
      probe = 'idle';
      return;
    }
    // If another control is invalid, the browser submits nothing. A fieldset is invalid because of its controls.
    const isFine = (control: Element) =>
      closed.includes(control) || !matches(control, ':invalid:not(fieldset)');
    if (!controlsOf(form).every(isFine)) return;
    // The page may have set `novalidate` again. With it, the probe would submit the form.
    validate(form);
    // During a submission, browsers ignore a second one. If the page only checks validity, the second one validates, and
    // `invalid` fires again.
    probe = 'asked';
    requestSubmit(form);
    // The button that a script passes to requestSubmit() is not visible here. During a press, the widget takes the
    // pressed button.
    if (probe === 'asked') hold(form, pressedButton ?? held.get(form)?._submitter);
    probe = undefined;
  }

  function submitted(event: Event) {
    const form = event.composedPath()[0] as Form;
    // Pages also fire such events at elements that are no form.
    if (form === resumed || !matches(form, 'form')) return;
    held.delete(form);
    const { submitter } = event as SubmitEvent;
    // The press is over after its task, which puts back the message that it has lifted.
    if (isExempt(form, submitter)) return;
    // The press has led to this submission. A later one is not its result.
    pressedButton = undefined;
    validate(form);
    for (const field of fieldsOf(form, true)) field._attempt();
    const guards = guardsOf(form);
    const blocking = guards.find((field) => field._isBlocking());
    if (!(blocking ?? guards.some((field) => isPending(field._state)))) return;
    stop(event);
    for (const field of guards) field._close(true);
    if (blocking) {
      browser.explain(form, 'refused');
      report(blocking);
      return;
    }
    // An event that a script has dispatched submits nothing, so the widget holds nothing.
    if (event.isTrusted) hold(form, submitter as Button | null);
  }

  function settled() {
    for (const [form, attempt] of held) {
      const blocking = guardsOf(form).find((field) => field._isBlocking());
      if (!blocking) continue;
      release(form, 'refused');
      // Takes the focus only if the visitor has not moved on.
      if ([attempt._focused, blocking._input, body()].includes(document.activeElement)) report(blocking);
    }
    // In a new task: browsers ignore a submission within a listener of another.
    if (held.size) {
      browser._setTimeout(() => {
        for (const [form, attempt] of held) resume(form, attempt);
      });
    }
  }

  function resume(form: Form, attempt: Held) {
    // A script may have changed a value, or added an input, since.
    for (const field of fieldsOf(form, true)) if (!field._look()) field._attempt();
    if (guardsOf(form).some((field) => isPending(field._state)) || held.get(form) !== attempt) return;
    const { _submitter: submitter } = attempt;
    const isLost = !form.isConnected || (opensWindow(form, submitter) && !navigator.userActivation.isActive);
    release(form, isLost ? 'dropped' : 'carried out');
    if (isLost) return;
    resumed = form;
    resumedButton = submitter;
    // Throws for a button that no longer submits this form.
    unlessItThrows(() => requestSubmit(form, submitter));
    resumed = undefined;
  }

  /**
   * Adds the name and value of a disabled submit button, which browsers leave out. Many pages disable the pressed
   * button. The widget does not enable it, because a second press would submit the form twice.
   */
  function collected(event: Event) {
    const { target, formData } = event as FormDataEvent;
    if (target !== resumed || !resumedButton) return;
    const { name, value, type } = resumedButton;
    if (name && type !== 'image' && matches(resumedButton, ':disabled')) formData.append(name, value);
  }

  return {
    _events: { click: pressed, keydown: pressed, invalid: refused, submit: submitted, formdata: collected },
    _settled: settled,
    _isHolding: (form) => held.has(form as Form),
    _drop(form) {
      for (const each of held.keys()) if (!form || form === each) release(each, 'dropped');
    },
  };
}
