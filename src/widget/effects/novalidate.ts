/** `novalidate`, which would let a rejected address through: taken from forms, and given back. */

import { attributeOf, setAttribute } from '../prototypes.ts';

export interface Novalidate {
  take(form: HTMLFormElement): void;
  giveBack(): void;
}

export function createNovalidate(): Novalidate {
  /** What each form had there before. */
  const taken = new Map<HTMLFormElement, string>();

  return {
    take(form) {
      const value = attributeOf(form, 'novalidate');
      if (value === null) return;
      setAttribute(form, 'novalidate', null);
      taken.set(form, value);
    },
    giveBack() {
      for (const [form, value] of taken) setAttribute(form, 'novalidate', value);
      taken.clear();
    },
  };
}
