/**
 * Reaches the platform past what a page may have put in its way: a control named `submit` or `elements` hides
 * the form's own property, and libraries replace methods. Nothing here is looked up before it is used, so that
 * the module can be imported where there is no document.
 */

import { bare } from '../interface/bare.ts';

/** A property as its prototype has it, whatever the element itself says. */
const property = (prototype: object, name: string) =>
  Object.getOwnPropertyDescriptor(prototype, name) as Required<PropertyDescriptor>;

/** Sets a value as typing would: frameworks that define a `value` of their own on the node still see a change. */
export const typeIn = (input: HTMLInputElement, value: string): void =>
  property(HTMLInputElement.prototype, 'value').set.call(input, value);

/** The running `<script>`, past an `<img name=currentScript>`. */
export const runningScript = (): HTMLScriptElement | null =>
  property(Document.prototype, 'currentScript').get.call(document);

export const controlsOf = (form: HTMLFormElement): Element[] => [
  ...property(HTMLFormElement.prototype, 'elements').get.call(form),
];

export const attributeOf = (element: Element, name: string): string | null =>
  Element.prototype.getAttribute.call(element, name);

/** Sets an attribute, or with `null` removes it. */
export const setAttribute = (element: Element, name: string, value: string | null): void => {
  if (value === null) Element.prototype.removeAttribute.call(element, name);
  else Element.prototype.setAttribute.call(element, name, value);
};

export const append = (parent: Node, child: Node): Node => Node.prototype.appendChild.call(parent, child);

/** Prototype.js makes `remove()` hide an element instead: go through the parent. */
export const detach = (node: Node): unknown =>
  node.parentNode && Node.prototype.removeChild.call(node.parentNode, node);

/** `document.body` can be hidden by an `<img name=body>`. */
export const bodyOf = (page: Document): HTMLElement => page.getElementsByTagName('body')[0] as HTMLElement;

export const matches = (element: Element, selector: string): boolean => {
  try {
    return element.matches(selector);
  } catch {
    // A pseudo-class that this browser does not know matches nothing.
    return false;
  }
};

/** Listens in the capture phase, until the signal is aborted. */
export const listen = <E extends Event>(
  target: EventTarget,
  type: string,
  listener: (event: E) => void,
  signal: AbortSignal,
): void => target.addEventListener(type, listener as EventListener, bare({ capture: true, signal }));
