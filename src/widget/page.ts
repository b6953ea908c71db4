/**
 * Which inputs, and what happens on the page: listens at the window, so that an input costs nothing before a
 * visitor touches it, and that nothing has to be told when a page adds, changes or moves one. Knows nothing of
 * verdicts.
 */

import type { Options } from './options.ts';
import { attributeOf, controlsOf, matches } from './prototypes.ts';

/**
 * What concerns a widget that sleeps. A press is one of them only when it comes to a submission: in the quarter of a
 * second in which the widget sleeps, nobody reads a form and answers it. Each listener more takes a tenth of its start.
 */
export const WAKING = ['focusin', 'input', 'submit'] as const;
/** What concerns one that is awake, besides. */
export const AWAKE = [
  'click',
  'keydown',
  'change',
  'invalid',
  'reset',
  'formdata',
  'focusout',
  'pagehide',
  'pageshow',
] as const;
/** What does not leave a shadow root. */
export const IN_EACH_ROOT = ['change', 'invalid', 'reset', 'formdata', 'submit'] as const;

/** Whatever happens on the page that the widget listens to, by the event's type. */
export type PageEvents = {
  readonly [Type in (typeof WAKING)[number] | (typeof AWAKE)[number]]: (
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
  const named = (element: Element | null, names: (string | null)[]) =>
    element && names.includes(attributeOf(element, 'name'));
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
 * Listens in the capture phase: one listener for everything, which counts once on each target.
 *
 * @param isOn whether to listen from now on, or no longer
 */
export function watch(
  target: EventTarget,
  types: readonly string[],
  listener: (event: Event) => void,
  isOn: boolean,
): void {
  for (const type of types) {
    if (isOn) target.addEventListener(type, listener, true);
    else target.removeEventListener(type, listener, true);
  }
}

/** Calls back once the document has been parsed. */
export function whenReady(begin: () => void): void {
  if (document.readyState === 'loading') {
    document.addEventListener('DOMContentLoaded', begin);
  } else {
    begin();
  }
}
