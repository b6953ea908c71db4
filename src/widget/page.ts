/**
 * Decides which inputs are monitored, and listens to the page's events. It listens on the window: an input costs nothing
 * before a visitor touches it, and pages can add, change or move inputs without a call. Knows no verdicts.
 */

import type { Options } from './options.ts';
import { attributeOf, controlsOf, matches } from './prototypes.ts';

/**
 * Events that wake a sleeping widget. Presses are not among them: the widget sleeps for a quarter of a second, in which
 * visitors do not fill in a form. Each further listener adds a tenth to the start time.
 */
export const WAKING = ['focusin', 'input', 'submit'] as const;
/** Events that do not leave a shadow root. */
export const IN_EACH_ROOT = ['change', 'invalid', 'reset', 'formdata', 'submit'] as const;

/** The other events that an awake widget listens to. */
type Awake = 'click' | 'keydown' | 'focusout' | 'pagehide' | 'pageshow';

/** A handler for each event that the widget listens to. */
export type PageEvents = {
  readonly [Type in (typeof WAKING)[number] | (typeof IN_EACH_ROOT)[number] | Awake]: (
    event: Event,
    target: EventTarget | undefined,
  ) => void;
};

/** Whether a node is an input to verify, at this moment. */
export const isMonitored = ((input: HTMLInputElement | undefined, options: Options) => {
  const named = (element: Element | null, names: (string | null)[]) =>
    element && names.includes(attributeOf(element, 'name'));
  return (
    input?.localName === 'input' &&
    input.isConnected &&
    input.ownerDocument === document &&
    (matches(input, options.inputSelector) as boolean) &&
    // Undefined for an element of another language with this name, such as SVG.
    input.readOnly === false &&
    !matches(input, ':disabled') &&
    !named(input, options.ignoredInputs) &&
    !named(input.form, options.ignoredForms)
  );
}) as (node: EventTarget | undefined, options: Options) => node is HTMLInputElement;

/** The monitored inputs of a form, also those with a `form` attribute. */
export const monitoredIn = (form: HTMLFormElement, options: Options) =>
  controlsOf(form).filter((control): control is HTMLInputElement => isMonitored(control, options));

/**
 * Adds or removes one listener for several events, in the capture phase. Adding it again changes nothing.
 *
 * @param isOn whether to add or to remove it
 */
export function watch(
  target: EventTarget,
  types: readonly string[],
  listener: (event: Event) => void,
  isOn: boolean,
): void {
  for (const type of types) {
    target[isOn ? 'addEventListener' : 'removeEventListener'](type, listener, true);
  }
}
