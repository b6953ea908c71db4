/**
 * The icon of the pages, the demo's. It is inline in each page, because Firefox would otherwise request `/favicon.ico`
 * and report that the page's policy forbids it.
 */
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f5fbf"/><path d="m9 16.5 5 5L23.5 11" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>';

export const ICON = `data:image/svg+xml,${encodeURIComponent(SVG)}`;
