/** Measures what a floating box would cover: the visible texts and controls of the page. Changes nothing. */

import type { Area } from './placement.ts';

/** Covering the text that the visitor types is worse than covering any other text. */
const WEIGHT_OF_THE_INPUT = 1e3;

/** What a TreeWalker shows: `SHOW_ELEMENT | SHOW_TEXT`. */
const ELEMENTS_AND_TEXTS = 5;

/** Of other elements, such as labels, only the text counts, and not the box. */
const isControl = ({ localName }: Element) => /^(input|button|select|textarea|a|iframe)$/.test(localName);

/** The element that has the focus, also inside open shadow roots. */
export function focused(): Element | null {
  let { activeElement } = document;
  while (activeElement?.shadowRoot?.activeElement) activeElement = activeElement.shadowRoot.activeElement;
  return activeElement;
}

/**
 * Collects the page's texts and controls once.
 *
 * @param active the focused element
 * @returns a function that returns how much of them an area covers, in square pixels; `Infinity` if it covers another
 * focused field or its label
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
      // Our own floating boxes do not count, because they move out of the way.
      if (node.shadowRoot && !/email-verify-floating/.test(node.className)) collect(node.shadowRoot);
      // A control's text counts with the control. White space does not count.
      if (element === node ? isControl(node) : /\S/.test(node.data) && !isControl(element)) {
        range.selectNode(node);
        for (const area of (element === node ? node : range).getClientRects()) things.push([element, area]);
      }
    }
  };
  collect(document);

  // A dialog or the body can have the focus too, but only a control is a field.
  const field = active && isControl(active) ? active : input;
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
 * Whether a visitor sees an element at a point. `elementsFromPoint` leaves out what is clipped, hidden, scrolled away or
 * inert. It also leaves out elements with `pointer-events: none`, but visitors see those.
 */
const isSeen = (element: Element, x: number, y: number) =>
  element.checkVisibility({ opacityProperty: true }) &&
  (getComputedStyle(element).pointerEvents === 'none' ||
    (element.getRootNode() as Document).elementsFromPoint(x, y).includes(element));
