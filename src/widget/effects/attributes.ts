/** Sets attributes on an input, and restores the page's values afterwards. */

import { attributeOf, setAttribute } from '../prototypes.ts';

/**
 * Manages one attribute of one element. A value that the page sets meanwhile counts as the page's.
 *
 * @returns a function that sets a value, or with `null` restores the page's
 */
export function lend(element: Element, name: string): (value: string | null) => void {
  let ours: string | null | undefined;
  let theirs: string | null;

  return (value) => {
    const present = attributeOf(element, name);
    if (present !== ours) theirs = present;
    ours = value;
    setAttribute(element, name, value ?? theirs);
  };
}

/**
 * Adds a status element's id to the input's `aria-describedby`, or removes it with `''`. Removes ids of other status
 * elements too, because pages copy them when they clone a row or restore markup.
 */
export function describeBy(input: Element, id: string): void {
  const present = attributeOf(input, 'aria-describedby') ?? '';
  const others = present.replace(/(^|\s+)email-verify-status-\d+(?!\S)/g, '');
  // Without a change, the page's own spelling stays.
  if (others !== present || id) setAttribute(input, 'aria-describedby', `${others} ${id}`.trim() || null);
}
