/**
 * Which inputs, and what happens on the page: listens at the window, so that an input costs nothing before a
 * visitor touches it, and that nothing has to be told when a page adds, changes or moves one. Passes on what
 * happens, to whatever it happens; knows nothing of verdicts.
 */

import type { Options } from './options.ts';
import { attributeOf, controlsOf, listen, matches } from './prototypes.ts';

/** What happens on the page: to anything at all, or what may be an attempt to submit a form. */
export interface PageEvents {
  /** The visitor enters something. */
  entered(target: EventTarget | undefined): void;
  /** A value changes. */
  changed(target: EventTarget | undefined): void;
  /** The browser says that the visitor is through with a change. */
  committed(target: EventTarget | undefined): void;
  exited(target: EventTarget | undefined): void;
  /** A click, or a key, anywhere. */
  pressed(event: Event): void;
  /** An `invalid` event. */
  refused(event: Event): void;
  submitted(event: SubmitEvent): void;
  resetting(event: Event): void;
  /** The page is being left, and may come back as it was. */
  pageHidden(): void;
  /** The page is shown, from the beginning or again. */
  pageShown(): void;
}

/** Whether an input is one of those to verify, at this moment. */
export function isMonitored(node: EventTarget | undefined, options: Options): node is HTMLInputElement {
  const input = node as HTMLInputElement;
  if (
    input?.localName !== 'input' ||
    !input.isConnected ||
    input.ownerDocument !== document ||
    !matches(input, options.inputSelector)
  )
    return false;
  const named = (element: Element | null, names: string[]) =>
    names.some((name) => element && attributeOf(element, 'name') === name);
  return (
    !input.readOnly &&
    !matches(input, ':disabled') &&
    !named(input, options.ignoredInputs) &&
    !named(input.form, options.ignoredForms)
  );
}

/** The monitored inputs of a form, those tied to it by their `form` attribute included. */
export const monitoredIn = (form: HTMLFormElement, options: Options) =>
  controlsOf(form).filter((control): control is HTMLInputElement => isMonitored(control, options));

/**
 * Listens until the signal is aborted.
 *
 * @returns what makes the events of a shadow root heard that do not leave it; to be told of each input in use
 */
export function watchPage(on: PageEvents, signal: AbortSignal): (input: HTMLInputElement) => void {
  // In an open shadow root, the event's target is the host: the path begins with the input.
  const at = (act: (target: EventTarget | undefined) => void) => (event: Event) =>
    act(event.composedPath()[0]);

  const committed = at(on.committed);

  /** What does not leave a shadow root. */
  const listenAt = (target: EventTarget) => {
    listen(target, 'change', committed, signal);
    listen(target, 'invalid', on.refused, signal);
    listen(target, 'reset', on.resetting, signal);
    listen(target, 'submit', on.submitted, signal);
  };

  listenAt(window);
  listen(window, 'input', at(on.changed), signal);
  listen(window, 'focusout', at(on.exited), signal);
  listen(window, 'focusin', at(on.entered), signal);
  listen(window, 'click', on.pressed, signal);
  listen(window, 'keydown', on.pressed, signal);
  listen(window, 'pagehide', on.pageHidden, signal);
  listen(window, 'pageshow', on.pageShown, signal);

  return (input) => {
    const root = input.getRootNode();
    // The same listeners on the same root count once.
    if (root !== document) listenAt(root);
  };
}

/** Calls back once the document has been parsed. */
export function whenReady(begin: () => void): void {
  if (document.readyState === 'loading') {
    listen(document, 'DOMContentLoaded', begin);
  } else {
    begin();
  }
}
