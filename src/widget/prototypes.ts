/**
 * Reaches the platform past what a page may have put in its way: a control named `submit` or `elements` hides
 * the form's own property, and whatever is added to Object.prototype shows up in every `{}` handed to a
 * constructor (`signal` breaks fetch, `bubbles` changes events). Nothing here is looked up before it is used,
 * so that the module can be imported where there is no document.
 */

/** An init object on which nothing that a page has added to Object.prototype can be seen. */
export const bare = <T extends object>(init: T): T => Object.assign(Object.create(null), init);

/** A property as its prototype has it, whatever the element itself says. */
const property = (prototype: object, name: string) =>
  Object.getOwnPropertyDescriptor(prototype, name) as Required<PropertyDescriptor>;

const valueProperty = () => property(HTMLInputElement.prototype, 'value');

/** What stands in the input. */
export const typedIn = (input: HTMLInputElement): string => valueProperty().get.call(input);

/** Sets a value as typing would: frameworks that define a `value` of their own on the node still see a change. */
export const typeIn = (input: HTMLInputElement, value: string): void =>
  valueProperty().set.call(input, value);

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

export const rootOf = (node: Node): Node => Node.prototype.getRootNode.call(node);

/** `document.body` can be hidden by an `<img name=body>`. */
export const bodyOf = (page: Document): HTMLElement => page.getElementsByTagName('body')[0] as HTMLElement;

export const matches = (element: Element, selector: string): boolean => {
  try {
    return Element.prototype.matches.call(element, selector);
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
): void =>
  EventTarget.prototype.addEventListener.call(
    target,
    type,
    listener as EventListener,
    bare({ capture: true, signal }),
  );

/** @returns false when a listener has prevented the default */
export const dispatch = (target: EventTarget, event: Event): boolean =>
  EventTarget.prototype.dispatchEvent.call(target, event);
