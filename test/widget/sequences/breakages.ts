/** What a page may break that only the status needs: painting fails then, and nothing else may. */
import type { StandIns } from './browser.ts';

/** What the broken thing throws: the page's own trouble, whoever gets it. */
export class OfThePage extends Error {}

function fail(): never {
  throw new OfThePage('broken by the page');
}

/** Not `fail` itself: `new` wants a class. */
class Failing {
  constructor() {
    fail();
  }
}

const isOfStatus = (node: Node) =>
  node.getRootNode() instanceof ShadowRoot ||
  (node instanceof Element && node.matches('.email-verify-status'));

/** By name, what breaks it. */
export const BREAKAGES = {
  /** Pages about books have a `Text` of their own. */
  Text: (standIns) => standIns.method(window, 'Text', Failing),
  IntersectionObserver: (standIns) => standIns.method(window, 'IntersectionObserver', Failing),
  attachShadow: (standIns) => standIns.method(Element.prototype, 'attachShadow', fail),
  /** As a page does that filters what comes into it. */
  appendChild: (standIns) => {
    const { appendChild } = Node.prototype;
    standIns.method(Node.prototype, 'appendChild', function (this: Node, child: Node) {
      return isOfStatus(this) || isOfStatus(child) ? fail() : appendChild.call(this, child);
    });
  },
} satisfies Record<string, (standIns: StandIns) => void>;

export type BreakageName = keyof typeof BREAKAGES;
