/**
 * A submission tried while a verdict is pending: held, then carried out once, with its submitter, or dropped.
 * Knows fields only by what they say of themselves; asks no service and shows nothing.
 *
 *     press (click, Enter)      the pending fields are closed: their validity says no
 *       │
 *       ├─ the browser, or the page by requestSubmit(), validates
 *       │    `invalid` ──▶ probe: is this a submission? ──yes──▶ held ◀── a `submit` event while pending
 *       │                    └─ no, checkValidity(): nothing       │      (no press, or the fields were open)
 *       │                                                          │
 *       └─ the press's task is over, nothing is held               ├─▶ all accepted, or failed open ──▶ carried out
 *            and the press submits nothing by itself:              ├─▶ one rejected ──▶ reported
 *            the fields are open again                             └─▶ an edit, a reset, the form gone ──▶ dropped
 *
 * The fields stay closed while a submission is held, so that the page sees one `submit` event: the real one.
 */

import { browser } from '../browser.ts';
import { type FieldState, isPending } from '../field-state.ts';
import { body, controlsOf, matches } from '../prototypes.ts';
import { type Button, enteredIn, type Form, isButton, isExempt, opensWindow } from './submission-rules.ts';
import { SILENT } from './validity.ts';

/** What a submission needs to know of a monitored input. */
export interface Judged {
  readonly _input: HTMLInputElement;
  /** Whether it holds submissions at all. */
  _guards(): boolean;
  readonly _state: FieldState;
  _isBlocking(): boolean;
  /** Whether what its validity says is that a verdict is pending. */
  _isClosed(): boolean;
  /** Lets the validity say, until the verdict, that a verdict is pending; or no longer. */
  _close(isClosed: boolean): void;
  /** A submission is tried: a value that has no verdict is asked for now. */
  _attempt(): void;
  /**
   * Notices a value that was set without an event.
   *
   * @returns whether anything is known, or being found out
   */
  _look(): boolean;
  /** Brings what can be seen up to date; `isLifted` takes the validity away for once. */
  _show(isLifted?: boolean): void;
}

/** What submissions ask of the page. */
export interface SubmissionSite {
  /** The field of an input, if it is monitored. */
  _fieldOf(input: HTMLInputElement): Judged | undefined;
  /** The fields of a form; those that no visitor has touched only where asked for. */
  _fieldsOf(form: Form, untouchedToo?: boolean): Judged[];
  /** A submission of this form is tried: the page may have set `novalidate` anew. */
  _validate(form: Form): void;
}

export interface Submissions {
  /** A click, or a key, anywhere. */
  _pressed(event: Event): void;
  /** An `invalid` event. */
  _refused(event: Event): void;
  _submitted(event: SubmitEvent): void;
  /** The values that a form sends are being put together. */
  _collected(event: FormDataEvent): void;
  /** Whether a submission of this form waits for a verdict. */
  _isHolding(form: Form | null): boolean;
  /** A field has its verdict, or is gone. */
  _settled(): void;
  /** The visitor has changed a monitored value, the form was reset, or (without one) the page is being left. */
  _drop(form?: Form | null): void;
}

interface Held {
  readonly _submitter: Button | null;
  /** Where the focus was: a visitor who has gone elsewhere is not pulled back. */
  readonly _focused: Element | null;
}

export function createSubmissions({
  _fieldOf: fieldOf,
  _fieldsOf: fieldsOf,
  _validate: validate,
}: SubmissionSite): Submissions {
  const held = new Map<Form, Held>();
  /** The submit button whose press the browser, or the page, may be about to answer. */
  let pressedButton: Button | undefined;
  /** The form whose held submission is being carried out, and its submitter. */
  let resumed: Form | undefined;
  let resumedButton: Button | null;
  /** Whether the browser is being asked if it is submitting already; and whether it has answered that it is not. */
  let probe: 'asked' | 'idle' | undefined;

  const guardsOf = (form: Form) => fieldsOf(form).filter((field) => field._guards());

  function hold(form: Form, button?: Button | null) {
    // It may have left the form by now, or never have been in it: a script can submit one as another is pressed.
    held.set(form, {
      _submitter: button?.form === form ? button : null,
      _focused: document.activeElement,
    });
    browser.explain(form, 'held');
    // A press has asked for every value by now. A script that submits while the fields are closed has not.
    for (const field of fieldsOf(form, true)) field._attempt();
  }

  function release(form: Form, why: string) {
    if (held.delete(form)) browser.explain(form, why);
  }

  function pressed(event: Event) {
    pressedButton = undefined;
    const button = event.type === 'click' ? event.composedPath().find(isButton) : undefined;
    const control = button ?? enteredIn(event);
    if (!control) return;
    const { form } = control;
    if (!form) {
      // Enter outside a form is an attempt to submit, too.
      if (!button) fieldOf(control as HTMLInputElement)?._attempt();
      return;
    }
    const submitter = button && /submit|image/.test(button.type) ? button : undefined;
    const isLifted = !!submitter && isExempt(form, submitter);
    if (!isLifted) validate(form);
    // Enter is followed by a click or a `submit`: only those say that a submission is meant, and only for them
    // a value that no visitor has touched is asked for.
    const fields = fieldsOf(form, !!submitter && !isLifted);
    for (const field of fields) {
      if (!isLifted) {
        if (submitter || isPending(field._state) || field._isBlocking()) field._attempt();
        if (isPending(field._state) && field._guards()) field._close(true);
      }
      // formmethod=dialog is validated by the browser all the same: a dialog closes whatever we think.
      field._show(isLifted);
    }
    pressedButton = submitter;
    // The browser validates in this task; who asks later is the page.
    browser.setTimeout(() => {
      pressedButton = undefined;
      // A press that submits nothing by itself leaves that to the page, which may do it later: then the `submit`
      // event has to arrive, for only that says with which submitter.
      const isOver = !held.has(form) && (!submitter || event.defaultPrevented);
      for (const field of fields) {
        if (isOver) field._close(false);
        else field._show();
      }
    }, 0);
  }

  function refused(event: Event) {
    const input = event.composedPath()[0] as HTMLInputElement;
    const form = input.form as Form;
    const closed: Element[] = form
      ? fieldsOf(form)
          .filter((field) => field._isClosed())
          .map((field) => field._input)
      : [];
    if (!closed.includes(input)) {
      if (input.validationMessage === SILENT) {
        // A bubble with nothing in it would help nobody.
        event.preventDefault();
        if (pressedButton) input.focus();
        pressedButton = undefined;
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
    // Which button a script has handed to requestSubmit() can't be seen here: within a press it is the pressed one.
    if (probe === 'asked') hold(form, pressedButton ?? held.get(form)?._submitter);
    probe = undefined;
  }

  function submitted(event: SubmitEvent) {
    const form = event.composedPath()[0] as Form;
    if (form === resumed) return;
    // The press has come to what it was for. What a script submits after it is another submission.
    pressedButton = undefined;
    held.delete(form);
    const { submitter } = event;
    if (isExempt(form, submitter)) return;
    validate(form);
    for (const field of fieldsOf(form, true)) field._attempt();
    const guards = guardsOf(form);
    const pending = guards.filter((field) => isPending(field._state));
    const blocking = guards.find((field) => field._isBlocking());
    if (!blocking && !pending.length) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    for (const field of pending) field._close(true);
    if (blocking) {
      browser.explain(form, 'refused');
      blocking._show();
      blocking._input.reportValidity();
      return;
    }
    // An event that a script has made submits nothing, and neither do we for it.
    if (event.isTrusted) hold(form, submitter as Button | null);
  }

  function settled() {
    for (const [form, attempt] of held) {
      const blocking = guardsOf(form).find((field) => field._isBlocking());
      if (!blocking) continue;
      release(form, 'refused');
      // Nobody who has moved on is pulled back.
      if ([attempt._focused, blocking._input, body()].includes(document.activeElement))
        blocking._input.reportValidity();
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
    for (const field of fieldsOf(form, true)) if (!field._look()) field._attempt();
    if (guardsOf(form).some((field) => isPending(field._state)) || held.get(form) !== attempt) return;
    const { _submitter: submitter } = attempt;
    const isLost = !form.isConnected || (opensWindow(form, submitter) && !navigator.userActivation.isActive);
    release(form, isLost ? 'dropped' : 'carried out');
    if (isLost) return;
    resumed = form;
    resumedButton = submitter;
    try {
      HTMLFormElement.prototype.requestSubmit.call(form, submitter);
    } catch {
      // The submitter is one no longer.
    }
    resumed = undefined;
  }

  /**
   * Many pages disable what was pressed. Browsers leave its name and value out then, though nothing else of it. What
   * the page does to its button is never undone: another press would post twice.
   */
  function collected({ target, formData }: FormDataEvent) {
    if (target !== resumed || !resumedButton) return;
    const { name, value, type } = resumedButton;
    if (name && type !== 'image' && matches(resumedButton, ':disabled')) formData.append(name, value);
  }

  return {
    _pressed: pressed,
    _refused: refused,
    _submitted: submitted,
    _collected: collected,
    _settled: settled,
    _isHolding: (form) => held.has(form as Form),
    _drop(form) {
      for (const each of form === undefined ? [...held.keys()] : [form as Form]) release(each, 'dropped');
    },
  };
}
