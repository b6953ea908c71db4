/**
 * The browser functions that the widget calls. It copies them when it is installed, in case the page later replaces
 * `fetch` or the timers. A page has one widget, and therefore one such object.
 */

export interface Browser {
  fetch(url: string, init: RequestInit): Promise<Response>;
  /** Without a delay, the task runs in the next task of the page. */
  _setTimeout(task: () => void, delayMs?: number): number;
  _clearTimeout(timer: number | undefined): void;
  /** Tells src/debug what the widget did with an input or a form, and why. Without `debug` it does nothing. */
  explain(about: Element, what: string): void;
}

export const browser = {} as Browser;

export const takeBrowser = (): Browser =>
  Object.assign(browser, {
    fetch: fetch.bind(window),
    _setTimeout: setTimeout.bind(window),
    _clearTimeout: clearTimeout.bind(window),
    explain() {},
  });
