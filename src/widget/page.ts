/**
 * Which inputs, and what happens on the page: listens at the window, so that an input costs nothing before a
 * visitor touches it, and that nothing has to be told when a page adds, changes or moves one. Knows nothing of
 * verdicts.
 */

import type { Options } from './options.ts';
import { attributeOf, controlsOf, listen, matches } from './prototypes.ts';

/** What does not leave a shadow root. */
const IN_EACH_ROOT = ['change', 'invalid', 'reset', 'submit', 'formdata'] as const;
const AT_THE_WINDOW = ['input', 'focusin', 'focusout', 'click', 'keydown', 'pagehide', 'pageshow'] as const;

/** Whatever happens on the page that the widget listens to, by the event's type. */
export type PageEvents = {
  readonly [Type in (typeof IN_EACH_ROOT)[number] | (typeof AT_THE_WINDOW)[number]]: (
    event: Event,
    target: EventTarget | undefined,
  ) => void;
};

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

/** Listens at the window until the signal is aborted: one listener for everything. */
export function watchPage(listener: (event: Event) => void, signal: AbortSignal): void {
  for (const type of AT_THE_WINDOW) listen(window, type, listener, signal);
  watchRoot(window, listener, signal);
}

/** Listens to what does not leave a root. The same listener on the same root counts once. */
export function watchRoot(root: EventTarget, listener: (event: Event) => void, signal: AbortSignal): void {
  for (const type of IN_EACH_ROOT) listen(root, type, listener, signal);
}

/** Calls back once the document has been parsed. */
export function whenReady(begin: () => void): void {
  if (document.readyState === 'loading') {
    listen(document, 'DOMContentLoaded', begin);
  } else {
    begin();
  }
}
