/**
 * What is knowingly not tried in an engine: each is a row of docs/browsers.md, which a test holds to this list. The
 * test says so in the place where it would go on, and is counted as left out, never as passed.
 */
import type { Page } from '@playwright/test';
import { test } from '@playwright/test';

export const DIFFERENCES = {
  'protocol of Chromium': ['firefox', 'webkit'],
  'motion is not reduced': ['firefox'],
  'a page out of the cache goes on': ['firefox'],
  'an address comes all at once': ['firefox'],
  'pages come back as they were': ['firefox', 'webkit'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Difference = keyof typeof DIFFERENCES;

export const engineOf = (page: Page): string => page.context().browser()?.browserType().name() ?? '';

/** Leaves the rest of the test out, where the engine is one of those. */
export function leaveOutFor(difference: Difference, page: Page): void {
  const engines: readonly string[] = DIFFERENCES[difference];
  test.info().skip(engines.includes(engineOf(page)), `docs/browsers.md: ${difference}`);
}

/**
 * What an engine writes about a page by itself, and Playwright takes for an exception in Firefox: a request that
 * failed is no exception, nor is a form control that can't be focused.
 */
export const REPORTS_OF_THE_ENGINE =
  /^(Error: )?(Cross-Origin Request Blocked|Content-Security-Policy:|The invalid form control|None of the “sha)/;
