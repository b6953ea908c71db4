/** Tells whether a visitor can see and reach an input. Changes nothing. */

import { bare } from '../../protocol/bare.ts';
import { matches, parentOf } from '../prototypes.ts';

/**
 * False for an input that is not rendered, has `visibility: hidden`, or is in an `inert` part: visitors could not
 * correct it. The page behind a modal dialog counts as reachable, because it comes back when the dialog closes.
 */
export function isReachable(input: HTMLInputElement): boolean {
  for (let node: Node | null = input; node; node = parentOf(node)) {
    if (matches(node as Element, '[inert]')) return false;
  }
  return input.checkVisibility(bare({ visibilityProperty: true }));
}
