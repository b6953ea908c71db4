/**
 * Which inputs, and what happens to them: listens at the window, so that an input costs nothing before a
 * visitor touches it, and that nothing has to be told when a page adds, changes or moves one. Reads the
 * options live; knows nothing of verdicts.
 */

import type { Options } from './options.ts';
import { attributeOf, controlsOf, listen, matches } from './prototypes.ts';

/** What happens to monitored inputs, and what may be an attempt to submit a form that holds some. */
export interface PageEvents {
  /** The visitor enters an input. */
  entered(input: HTMLInputElement): void;
  /** A value changes. */
  changed(input: HTMLInputElement): void;
  /** The browser says that the visitor is through with a change. */
  committed(input: HTMLInputElement): void;
  left(input: HTMLInputElement): void;
  /** A click, or a key, anywhere. */
  pressed(event: Event): void;
  /** An `invalid` event. */
  refused(event: Event): void;
  submitted(event: SubmitEvent): void;
  resetting(event: Event): void;
  /** The page is being left, and may come back as it was. */
  hidden(): void;
  /** The page is shown, from the beginning or again. */
  shown(): void;
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
    element !== null && names.includes(attributeOf(element, 'name') as string);
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
export function watchPage(
  options: () => Options,
  on: PageEvents,
  signal: AbortSignal,
): (input: HTMLInputElement) => void {
  const forInput =
    (act: (input: HTMLInputElement) => void) =>
    (event: Event): void => {
      // In an open shadow root, the event's target is the host: the path begins with the input.
      const [target] = event.composedPath();
      if (isMonitored(target, options())) act(target);
    };

  const committed = forInput(on.committed);

  /** What does not leave a shadow root. */
  const listenAt = (target: EventTarget) => {
    listen(target, 'change', committed, signal);
    listen(target, 'invalid', on.refused, signal);
    listen(target, 'reset', on.resetting, signal);
    listen(target, 'submit', on.submitted, signal);
  };

  listenAt(window);
  listen(window, 'input', forInput(on.changed), signal);
  listen(window, 'focusout', forInput(on.left), signal);
  listen(window, 'focusin', forInput(on.entered), signal);
  for (const type of ['click', 'keydown']) listen(window, type, on.pressed, signal);
  listen(window, 'pagehide', on.hidden, signal);
  listen(window, 'pageshow', on.shown, signal);

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
