/**
 * What the widget takes from the browser, taken once when it starts: a page that replaces `fetch` or the timers
 * later on does not reach it, and a test hands in its own.
 */

export interface Browser {
  fetch(url: string, init: RequestInit): Promise<Response>;
  setTimeout(task: () => void, delayMs: number): number;
  clearTimeout(timer: number | undefined): void;
}

export const takeBrowser = (): Browser => ({
  fetch: fetch.bind(window),
  setTimeout: setTimeout.bind(window),
  clearTimeout: clearTimeout.bind(window),
});
