/** Where a captcha's own widget lives: never in the page's form, whose fields it would add to. */

/** Where a challenge is shown. */
export interface PlaceOptions {
  /**
   * An element, or its CSS selector, that a challenge is shown in when there is one to solve; not within a form.
   *
   * @default the lower end corner of the window, within the modal dialog or popover that the input is in
   */
  container?: string | Element | undefined;
}

/** @throws where the page has no such container */
export function makePlace(input: Element, { container }: PlaceOptions): HTMLElement {
  const place = document.createElement('div');
  const parent = typeof container === 'string' ? document.querySelector(container) : container;
  if (container && !parent) throw new Error(`no element ${container}`);
  if (!parent) {
    // By the object model, which every policy for styles allows.
    Object.assign(place.style, {
      position: 'fixed',
      insetBlockEnd: '1rem',
      insetInlineEnd: '1rem',
      zIndex: '2147483647',
    });
  }
  (parent ?? layerOf(input)).append(place);
  return place;
}

/** What is outside an open modal dialog or popover is behind it, and inert. */
function layerOf(input: Element): Element {
  for (let node: Node | null = input; node; node = node.parentNode ?? (node as ShadowRoot).host ?? null) {
    if (node instanceof Element && node.matches(':modal, :popover-open')) return node;
  }
  return document.body;
}
