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
    setAttribute(element, name, value ?? theirs);
  };
}

/**
 * Ties an input to its status element, by the id, beside whatever else describes it; or with '' no longer. Ids of other
 * status elements go: a page that clones a row, or restores its markup, copies them along.
 */
export function describeBy(input: Element, id: string): void {
  const present = attributeOf(input, 'aria-describedby') ?? '';
  const others = present.replace(/(^|\s+)email-verify-status-\d+(?!\S)/g, '');
  // The page's own text stays as it was written.
  if (others !== present || id) setAttribute(input, 'aria-describedby', `${others} ${id}`.trim() || null);
}
