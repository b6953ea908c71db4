/** The platform's rules for submissions: what submits a form, where it goes, and what exempts it. Changes nothing. */

import { attributeOf, findAll } from '../prototypes.ts';

export type Form = HTMLFormElement;
export type Button = HTMLButtonElement | HTMLInputElement;

export const isButton = (node: EventTarget): node is Button => {
  const { localName, type } = node as Button;
  return /^(button|input)$/.test(localName) && /^(submit|image|button)$/.test(type);
};

/** Safari ends a composition before the Enter that confirms it. Only this key code shows that an IME took the key. */
const TAKEN_BY_IME = 229;

/** The input in which Enter was pressed, unless an IME is composing. */
export function enteredIn(event: Event): HTMLInputElement | undefined {
  const { key, isComposing, keyCode } = event as KeyboardEvent;
  if (key !== 'Enter' || isComposing || keyCode === TAKEN_BY_IME) return undefined;
  const [target] = event.composedPath() as [HTMLInputElement];
  return target.localName === 'input' && !isButton(target) ? target : undefined;
}

/** An attribute such as `method`: the submitter's `formmethod`, or else the form's own. */
const sent = (form: Form, submitter: Element | null | undefined, name: string) =>
  (submitter && attributeOf(submitter, `form${name}`)) ?? attributeOf(form, name) ?? '';

/** Whether the page's author exempts this submission from validation. */
export const isExempt = (form: Form, submitter?: Element | null) =>
  (submitter && attributeOf(submitter, 'formnovalidate') !== null) ||
  /^dialog$/i.test(sent(form, submitter, 'method'));

/** Whether the submission opens a new window. Browsers block that without a recent gesture of the visitor. */
export function opensWindow(form: Form, submitter: Element | null): boolean {
  const base = findAll('base[target]')[0];
  const target = sent(form, submitter, 'target') || (base && attributeOf(base, 'target'));
  if (!target || /^_(self|parent|top)$/i.test(target)) return false;
  // The name of a frame gives its window.
  return !(frames as unknown as Record<string, Window | undefined>)[target]?.top;
}
