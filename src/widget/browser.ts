/**
 * What the widget takes from the browser, taken once when it is installed: a page that replaces `fetch` or the timers
 * later on does not reach it. There is one widget in a page, and so one of these.
 */

export interface Browser {
  fetch(url: string, init: RequestInit): Promise<Response>;
  setTimeout(task: () => void, delayMs: number): number;
  clearTimeout(timer: number | undefined): void;
  /** Says what was done with an input or a form, and why. Does nothing unless `debug` listens here. */
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
