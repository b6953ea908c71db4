/**
 * What the widget needs of the platform, taken when it is loaded: a page that later defines a `class Map` or a
 * `function Node` hides only its own. The build puts these in the place of the globals with their names.
 */

// biome-ignore-start lint/suspicious/noShadowRestrictedNames: they are those very globals.
export const {
  AbortController,
  CustomEvent,
  Date,
  Document,
  Element,
  HTMLFormElement,
  HTMLInputElement,
  Map,
  Promise,
  TextDecoder,
  URL,
  URLSearchParams,
} = globalThis;
// biome-ignore-end lint/suspicious/noShadowRestrictedNames: they are those very globals.
