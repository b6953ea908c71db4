/**
 * Calls platform methods through their prototypes: a control named `submit` or `elements` hides the form's own property,
 * and libraries replace methods. Each is looked up when it is used, so that a server can import the module.
 */

import { unlessItThrows } from '../protocol/unless-it-throws.ts';

// An element's prototype has the methods of a node, too. Reflect uses the prototype's property, even if the element has its
// own property with that name, or a class of the page between them.

/** Sets a value as typing does. Frameworks that define their own `value` on the node still notice the change. */
export const typeIn = (input: HTMLInputElement, value: string): boolean =>
  Reflect.set(HTMLInputElement.prototype, 'value', value, input);

/** The running `<script>`, even if the page has an `<img name=currentScript>`. */
export const runningScript = () =>
  Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null;

/** None for an element of another language with the name of a form, such as SVG. */
export const controlsOf = (form: HTMLFormElement): Element[] =>
  unlessItThrows(() => [...Reflect.get(HTMLFormElement.prototype, 'elements', form)]) ?? [];

export const requestSubmit = (form: HTMLFormElement, submitter?: HTMLElement | null): void =>
  HTMLFormElement.prototype.requestSubmit.call(form, submitter);

export const attributeOf = (element: Element, name: string): string | null =>
  Element.prototype.getAttribute.call(element, name);

/** Sets an attribute, or with `null` removes it. An equal value is not set again, because pages may observe it. */
export const setAttribute = (element: Element, name: string, value: string | null): void => {
  if (value === attributeOf(element, name)) return;
  if (value !== null) Element.prototype.setAttribute.call(element, name, value);
  else Element.prototype.removeAttribute.call(element, name);
};

export const append = <Child extends Node>(parent: Node, child: Child): Child =>
  Element.prototype.appendChild.call(parent, child) as Child;

/** Removes a node through its parent, because Prototype.js replaces `remove()` by a method that hides. */
export const detach = (node: Node): unknown =>
  node.parentNode && Element.prototype.removeChild.call(node.parentNode, node);

// In the same way, the name of an image hides a property or method of the document.

export const create = (name: string): HTMLElement => Document.prototype.createElement.call(document, name);

export const findAll = <E extends Element = HTMLElement>(selector: string): E[] => [
  ...(Document.prototype.querySelectorAll.call(document, selector) as NodeListOf<E>),
];

export const body = (): HTMLElement => findAll('body')[0] as HTMLElement;

/** The parent in the flat tree, through slots and shadow hosts. A page's own properties of these names do not count. */
export function parentOf(node: Node): Node | null {
  const { assignedSlot, nodeType, host } = node as Element & ShadowRoot;
  if (assignedSlot?.localName === 'slot') return assignedSlot;
  return nodeType === 11 ? host : Reflect.get(Element.prototype, 'parentNode', node);
}

/** Adds an element for a request, maybe to another origin. The browser acts on it as soon as it is in the document. */
export const addToBody = (name: string, properties: object): Node =>
  append(body(), Object.assign(create(name), { crossOrigin: '' }, properties));

/**
 * `undefined` if this browser cannot parse the selector, for example because of a pseudo-class that it does not know, and
 * for a document or shadow root. These have no such method, and an error would cost more than all other looks at a field.
 */
export const matches = (element: Element, selector: string): boolean | undefined =>
  unlessItThrows(() => element.matches?.(selector));
