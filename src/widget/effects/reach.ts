/** Whether a visitor can see and reach an input. Looks, changes nothing. */

import { bare } from '../../interface/bare.ts';
import { matches, parentOf } from '../prototypes.ts';

/**
 * False for an input that is not rendered, is `visibility: hidden`, or is in an `inert` part: nobody could correct
 * it. A modal dialog makes the rest of the page inert without the attribute: that part comes back when the dialog
 * closes, and still counts.
 */
export function isReachable(input: HTMLInputElement): boolean {
  for (let node: Node | null = input; node; node = parentOf(node)) {
    if (matches(node as Element, '[inert]')) return false;
  }
  return input.checkVisibility(bare({ visibilityProperty: true }));
}
