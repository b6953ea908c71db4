/** Finds the parent of an input's status element. Changes nothing. */

import { findAll, findIn } from './tools.ts';

export interface Home {
  readonly _place: Node;
  /** Whether the status floats next to the input. In a parent that the page chose, it flows like the page's text. */
  readonly _floating: boolean;
}

/**
 * @param appendTo the option `statusAppendTo`. A selector is looked up in the input's form, then in the document
 * @returns the floating home, if there is no such element in the input's own tree: ids do not work across trees
 */
export function findHome(input: HTMLInputElement, appendTo: string | Element): Home {
  const place = typeof appendTo === 'string' ? find(appendTo, input) : appendTo;
  return place && place !== body() && place.getRootNode() === input.getRootNode()
    ? { _place: place, _floating: false }
    : floatingHome(input);
}

const body = () => findAll('body')[0] as HTMLElement;

const find = (selector: string, { form }: HTMLInputElement) =>
  (form && findIn(form, selector)) ?? findAll(selector)[0];

/**
 * Usually the body. For an input in a modal dialog, popover or fullscreen element, it is that element: the browser
 * paints it over everything else, and a modal dialog makes the rest inert. For an input in a shadow root, it is that
 * root, because ids of the document do not work there.
 */
function floatingHome(input: HTMLInputElement): Home {
  const root = input.getRootNode();
  // Within :is(), browsers ignore selectors that they do not know. If the whole page is fullscreen, the body is visible.
  const inTopLayer = input.closest(':is(dialog[open],:popover-open,:fullscreen:not(:root))');
  return { _place: inTopLayer ?? (root === document ? body() : root), _floating: true };
}
