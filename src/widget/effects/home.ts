/** Where an input's status element lives. Looks, changes nothing. */

import { body, findAll } from '../prototypes.ts';

export interface Home {
  readonly _place: Node;
  /** At the input, out of the flow; in any parent that the page chose, the status flows as the page's own text. */
  readonly _floating: boolean;
}

/**
 * @param appendTo the option `statusAppendTo`; a selector is looked for in the input's form, then in the document
 * @returns that home; the floating one when there is no such element in the input's own tree: from elsewhere, nothing
 * can be tied to the input by its id
 */
export function findHome(input: HTMLInputElement, appendTo: string | Element): Home {
  const place = typeof appendTo === 'string' ? find(appendTo, input) : appendTo;
  return place && place !== body() && place.getRootNode() === input.getRootNode()
    ? { _place: place, _floating: false }
    : floatingHome(input);
}

function find(selector: string, { form }: HTMLInputElement): Element | null {
  // A control named querySelector would hide the form's own.
  return (form && Element.prototype.querySelector.call(form, selector)) ?? findAll(selector)[0] ?? null;
}

/**
 * The body, unless the input is where the body cannot reach: a modal dialog, a popover and a fullscreen element are
 * painted over all else, which a modal dialog also makes inert and silent; and an `id` in the document means nothing
 * inside a shadow root.
 */
function floatingHome(input: HTMLInputElement): Home {
  const root = input.getRootNode();
  // A browser that does not know popovers passes over what it does not know within :is(). Where the whole page is
  // fullscreen, the body reaches everything.
  const inTopLayer = input.closest(':is(dialog[open],:popover-open,:fullscreen:not(:root))');
  return { _place: inTopLayer ?? (root === document ? body() : root), _floating: true };
}
