/** Finds the parent of an input's status element. Changes nothing. */

import type { Platform } from '../seam.ts';

export interface Home {
  readonly _place: Node;
  /** Whether the status floats next to the input. In a parent that the page chose, it flows like the page's text. */
  readonly _floating: boolean;
}

/**
 * Usually the body. For an input in a modal dialog, popover or fullscreen element, it is that element: the browser
 * paints it over everything else, and a modal dialog makes the rest inert. For an input in a shadow root, it is that
 * root, because ids of the document do not work there.
 *
 * @param appendTo the option `statusAppendTo`. A selector is looked up in the input's form, then in the document
 * @returns the floating home, if there is no such element in the input's own tree: ids do not work across trees
 */
export function findHome(input: HTMLInputElement, appendTo: string | Element, findAll: Platform[1]): Home {
  const root = input.getRootNode();
  const { form, querySelector } = input;
  const [body] = findAll('body') as [HTMLElement];
  // By the input's own method, because a control named querySelector would hide the form's.
  const found = (selector: string): Element | undefined =>
    (form && querySelector.call(form, selector)) ?? findAll(selector)[0];
  const place = typeof appendTo === 'string' ? found(appendTo) : appendTo;
  if (place && place !== body && place.getRootNode() === root) return { _place: place, _floating: false };

  // Within :is(), browsers ignore selectors that they do not know. If the whole page is fullscreen, the body is visible.
  const inTopLayer = input.closest(':is(dialog[open],:popover-open,:fullscreen:not(:root))');
  return { _place: inTopLayer ?? (root === document ? body : root), _floating: true };
}
