/** Whether a visitor can see and reach an input. Looks, changes nothing. */

import { bare } from '../../interface/bare.ts';
import { matches } from '../prototypes.ts';

/**
 * False for an input that is not rendered, is `visibility: hidden`, or is in an `inert` part: nobody could correct
 * it. The parents are those of the flat tree, through slots and shadow hosts. A modal dialog makes the rest of the
 * page inert without the attribute: that part comes back when the dialog closes, and still counts.
 */
export function isReachable(input: HTMLInputElement): boolean {
  for (let node: Node | null | undefined = input; node; ) {
    const { assignedSlot, parentNode, host } = node as Element & Partial<ShadowRoot>;
    if (node.nodeType === 1 && matches(node as Element, '[inert]')) return false;
    node = assignedSlot ?? parentNode ?? host;
  }
  return input.checkVisibility(bare({ visibilityProperty: true }));
}
