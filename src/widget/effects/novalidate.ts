/** Removes `novalidate` from forms, because it would let rejected addresses through, and restores it. */

import { attributeOf, setAttribute } from '../prototypes.ts';

export interface Novalidate {
  /** Removes it from a form that has it. */
  _take(form: HTMLFormElement): void;
  /** Restores it on forms that have left the page, and forgets them; with `all`, on every form. */
  _release(all?: boolean): void;
}

export function createNovalidate(): Novalidate {
  /** The attribute's former value, by form. */
  const taken = new Map<HTMLFormElement, string>();

  return {
    _take(form) {
      taken.set(form, attributeOf(form, 'novalidate') as string);
      setAttribute(form, 'novalidate', null);
    },
    _release(all) {
      for (const [form, value] of taken) {
        if (!all && form.isConnected) continue;
        setAttribute(form, 'novalidate', value);
        taken.delete(form);
      }
    },
  };
}
