/**
 * The browser functions that the widget calls. It copies them when it is installed, in case the page later replaces
 * `fetch` or the timers. A page has one widget, and therefore one such object.
 */

export interface Browser {
  fetch(url: string, init: RequestInit): Promise<Response>;
  setTimeout(task: () => void, delayMs: number): number;
  clearTimeout(timer: number | undefined): void;
  /** Tells src/debug what the widget did with an input or a form, and why. Without `debug` it does nothing. */
  explain(about: Element, what: string): void;
}

export const browser = {} as Browser;

export const takeBrowser = (): Browser =>
  Object.assign(browser, {
    fetch: fetch.bind(window),
    setTimeout: setTimeout.bind(window),
    clearTimeout: clearTimeout.bind(window),
    explain() {},
  });
