/**
 * What the widget takes from the browser, taken once when it starts: a page that replaces `fetch` or the timers
 * later on does not reach it, and a test hands in its own.
 */

export interface Browser {
  fetch(url: string, init: RequestInit): Promise<Response>;
  setTimeout(task: () => void, delayMs: number): number;
  clearTimeout(timer: number | undefined): void;
}

export function takeBrowser(scope: Window & typeof globalThis): Browser {
  return {
    fetch: scope.fetch.bind(scope),
    setTimeout: scope.setTimeout.bind(scope),
    clearTimeout: scope.clearTimeout.bind(scope),
  };
}
