/**
 * Reaches the platform past what a page may have put in its way: a control named `submit` or `elements` hides
 * the form's own property, and libraries replace methods. Nothing here is looked up before it is used, so that
 * the module can be imported where there is no document.
 */

// Reflect asks the prototype on behalf of the element, whatever the element itself has under that name.

/** Sets a value as typing would: frameworks that define a `value` of their own on the node still see a change. */
export const typeIn = (input: HTMLInputElement, value: string): boolean =>
  Reflect.set(HTMLInputElement.prototype, 'value', value, input);

/** The running `<script>`, past an `<img name=currentScript>`. */
export const runningScript = () =>
  Reflect.get(Document.prototype, 'currentScript', document) as HTMLScriptElement | null;

export const controlsOf = (form: HTMLFormElement): Element[] => [
  ...Reflect.get(HTMLFormElement.prototype, 'elements', form),
];

export const attributeOf = (element: Element, name: string): string | null =>
  Element.prototype.getAttribute.call(element, name);

/** Sets an attribute, or with `null` removes it. One that is as wanted is not touched: a page may be watching it. */
export const setAttribute = (element: Element, name: string, value: string | null): void => {
  if (value === attributeOf(element, name)) return;
  if (value !== null) Element.prototype.setAttribute.call(element, name, value);
  else Element.prototype.removeAttribute.call(element, name);
};

export const append = <Child extends Node>(parent: Node, child: Child): Child =>
  Node.prototype.appendChild.call(parent, child) as Child;

/** Prototype.js makes `remove()` hide an element instead: go through the parent. */
export const detach = (node: Node): unknown =>
  node.parentNode && Node.prototype.removeChild.call(node.parentNode, node);

// An image's name hides the document's own properties and methods in the same way.

export const create = (name: string): HTMLElement => Document.prototype.createElement.call(document, name);

export const textNode = (text: string): Text => Document.prototype.createTextNode.call(document, text);

export const findAll = <E extends Element = HTMLElement>(selector: string): E[] => [
  ...(Document.prototype.querySelectorAll.call(document, selector) as NodeListOf<E>),
];

export const body = (): HTMLElement => findAll('body')[0] as HTMLElement;

/** The parent in the flat tree, through slots and shadow hosts. Only a real slot and a real host count as such. */
export function parentOf(node: Node): Node | null {
  const { assignedSlot, nodeType, host } = node as Element & ShadowRoot;
  if (assignedSlot?.localName === 'slot') return assignedSlot;
  return nodeType === 11 ? host : Reflect.get(Node.prototype, 'parentNode', node);
}

/** Adds a `<link>` for a request to another origin; the browser acts on it when it enters the document. */
export const addLink = (properties: object): Node =>
  append(body(), Object.assign(create('link'), { crossOrigin: '' }, properties));

/** Whether this browser can use a selector at all. */
export const parses = (selector: string): boolean => {
  try {
    new DocumentFragment().querySelector(selector);
    return true;
  } catch {
    return false;
  }
};

export const matches = (element: Element, selector: string): boolean => {
  try {
    return element.matches(selector);
  } catch {
    // A pseudo-class that this browser does not know matches nothing.
    return false;
  }
};
