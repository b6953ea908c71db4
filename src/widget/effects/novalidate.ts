/** `novalidate`, which would let a rejected address through: taken from forms, and given back. */

import { attributeOf, setAttribute } from '../prototypes.ts';

export interface Novalidate {
  /** From a form that has it. */
  _take(form: HTMLFormElement): void;
  /** Gives it back to the forms that have left the page, which are not to be kept from being forgotten; or to all. */
  _giveBack(all?: boolean): void;
}

export function createNovalidate(): Novalidate {
  /** What each form had there before. */
  const taken = new Map<HTMLFormElement, string>();

  return {
    _take(form) {
      taken.set(form, attributeOf(form, 'novalidate') as string);
      setAttribute(form, 'novalidate', null);
    },
    _giveBack(all) {
      for (const [form, value] of taken) {
        if (!all && form.isConnected) continue;
        setAttribute(form, 'novalidate', value);
        taken.delete(form);
      }
    },
  };
}
