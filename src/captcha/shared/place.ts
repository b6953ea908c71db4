/** Makes the element for a captcha's widget. It is never in the page's form, because it would add fields to the form. */

/** The place of a challenge. */
export interface PlaceOptions {
  /**
   * The element in which a challenge is shown, or its CSS selector. It must not be in a form.
   *
   * @default the lower end corner of the window, or of the modal dialog or popover with the input
   */
  container?: string | Element | undefined;
}

/** @throws if the page has no element for `container` */
export function makePlace(input: Element, { container }: PlaceOptions): HTMLElement {
  const place = document.createElement('div');
  const parent = typeof container === 'string' ? document.querySelector(container) : container;
  if (container && !parent) throw new Error(`found no element ${container}`);
  if (!parent) {
    // Every Content Security Policy allows styles that are set through the object model.
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

/** The dialog, popover or body with the input. Elements outside an open modal dialog are behind it, and inert. */
function layerOf(input: Element): Element {
  for (let node: Node | null = input; node; node = node.parentNode ?? (node as ShadowRoot).host ?? null) {
    if (node instanceof Element && node.matches(':modal, :popover-open')) return node;
  }
  return document.body;
}
