/**
 * What the widget needs of the platform, taken when it is loaded: a page that later defines a `class Map` or a
 * `function Node` hides only its own. The build puts these in the place of the globals with their names.
 */

// In the order that compresses best.
// biome-ignore-start lint/suspicious/noShadowRestrictedNames: they are those very globals.
export const {
  Map,
  Document,
  Promise,
  URL,
  TextDecoder,
  AbortController,
  HTMLInputElement,
  URLSearchParams,
  CustomEvent,
  HTMLFormElement,
  Element,
  Date,
} = globalThis;
// biome-ignore-end lint/suspicious/noShadowRestrictedNames: they are those very globals.
