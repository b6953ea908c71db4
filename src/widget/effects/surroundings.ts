/** What a floating box would cover: the texts and controls that a visitor sees in the page. Changes nothing. */

import { matches } from '../prototypes.ts';
import type { Area } from './placement.ts';

/** Every other element counts by its text alone: a label is its text, not its box. */
const CONTROLS = 'input,button,select,textarea,a,iframe';

/** No text of the page: it moves away by itself when it is in the way. */
const STATUS = '.email-verify-floating';

/** To cover what the visitor types is worse than to cover any other text. */
const WEIGHT_OF_THE_INPUT = 1e3;

/** For a TreeWalker. */
const ELEMENTS_AND_TEXTS = 5;

/** The element that has the focus, also inside open shadow roots. */
export function focused(): Element | null {
  let { activeElement } = document;
  while (activeElement?.shadowRoot?.activeElement) activeElement = activeElement.shadowRoot.activeElement;
  return activeElement;
}

/**
 * Looks at the page once.
 *
 * @param active the element that has the focus
 * @returns how much of the page an area covers, in square pixels; `Infinity` where it covers another field that is
 * active, or that field's label
 */
export function survey(input: HTMLInputElement, active: Element | null): (area: Area) => number {
  const things: [Element, Area][] = [];
  const range = document.createRange();
  const collect = (root: Node) => {
    const walker = document.createTreeWalker(root, ELEMENTS_AND_TEXTS);
    while (walker.nextNode()) {
      const node = walker.currentNode as Element & Text;
      const element = node.data ? node.parentElement : node;
      if (!element) continue;
      if (node.shadowRoot && !matches(node, STATUS)) collect(node.shadowRoot);
      // A control's own text counts with the control; blanks are no text.
      if (element === node ? matches(node, CONTROLS) : /\S/.test(node.data) && !matches(element, CONTROLS)) {
        range.selectNode(node);
        for (const area of (element === node ? node : range).getClientRects()) things.push([element, area]);
      }
    }
  };
  collect(document);

  // Of all that can have the focus, as a dialog or the body, only a control is a field.
  const field = active && matches(active, CONTROLS) ? active : input;
  return (box) => {
    let covered = 0;
    for (const [element, area] of things) {
      const left = Math.max(area.left, box.left);
      const top = Math.max(area.top, box.top);
      const width = Math.min(area.right, box.right) - left;
      const height = Math.min(area.bottom, box.bottom) - top;
      if (width > 0 && height > 0 && isSeen(element, left + width / 2, top + height / 2)) {
        const isField = element === field || element.closest('label')?.control === field;
        const weight = element === input ? WEIGHT_OF_THE_INPUT : isField && field !== input ? Infinity : 1;
        covered += width * height * weight;
      }
    }
    return covered;
  };
}

/**
 * Whether a visitor sees an element at a point. The pointer does not find what is clipped, hidden, scrolled away or
 * inert; nor does it find what the page takes out of its way, which visitors see all the same.
 */
const isSeen = (element: Element, x: number, y: number) =>
  element.checkVisibility({ opacityProperty: true }) &&
  (getComputedStyle(element).pointerEvents === 'none' ||
    (element.getRootNode() as Document).elementsFromPoint(x, y).includes(element));
