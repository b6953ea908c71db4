/** Attributes that the widget lends to an input, and what the page had there before. */

import { attributeOf, setAttribute } from '../prototypes.ts';

/**
 * One attribute of one element. What the page writes while ours stands is its own, and left as it is.
 *
 * @returns what puts a value there, or with `null` gives back what the page had
 */
export function lend(element: Element, name: string): (value: string | null) => void {
  let ours: string | null = null;
  let theirs: string | null = null;

  return (value) => {
    const present = attributeOf(element, name);
    if (present !== ours) theirs = present;
    ours = value;
    const wanted = value ?? theirs;
    if (wanted !== present) setAttribute(element, name, wanted);
  };
}
