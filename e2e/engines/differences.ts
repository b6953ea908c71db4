/**
 * What is knowingly not tried in an engine: each is a row of docs/browsers.md, which a test holds to this list. The
 * test says so in the place where it would go on, and is counted as left out, never as passed.
 */
import { expect, type Page, test } from '@playwright/test';

export const DIFFERENCES = {
  'protocol of Chromium': ['firefox', 'webkit'],
  'wishes of the visitor’s system': ['firefox'],
  'a page out of the cache goes on': ['firefox'],
  'an address comes all at once': ['firefox'],
  'pages come back as they were': ['firefox', 'webkit'],
  'a page without scripts': ['firefox'],
  'a form is sent again': ['firefox'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Difference = keyof typeof DIFFERENCES;

export const engineOf = (page: Page): string => page.context().browser()?.browserType().name() ?? '';

/** Leaves the rest of the test out, where the engine is one of those. */
export function leaveOutFor(difference: Difference, page: Page): void {
  const engines: readonly string[] = DIFFERENCES[difference];
  test.info().skip(engines.includes(engineOf(page)), `docs/browsers.md: ${difference}`);
}

/** What a visitor's system may wish, by the words of media queries. */
interface Wishes {
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'none' | 'active';
  readonly reducedMotion?: 'no-preference' | 'reduce';
}

/** What each comes to where nothing is wished. */
const UNWISHED = { colorScheme: 'light', forcedColors: 'none', reducedMotion: 'no-preference' } as const;

/** Has the system wish something, and makes sure that the page has heard of it. */
export async function wish(page: Page, wishes: Wishes): Promise<void> {
  const wanted = { ...UNWISHED, ...wishes };
  if (JSON.stringify(wanted) !== JSON.stringify(UNWISHED))
    leaveOutFor('wishes of the visitor’s system', page);
  await page.emulateMedia(wanted);
  const queries = [
    `(prefers-color-scheme: ${wanted.colorScheme})`,
    `(forced-colors: ${wanted.forcedColors})`,
    `(prefers-reduced-motion: ${wanted.reducedMotion})`,
  ];
  const heard = await page.evaluate((all) => all.filter((query) => matchMedia(query).matches), queries);
  expect(heard).toEqual(queries);
}

/**
 * What an engine writes about a page by itself, and Playwright takes for an exception in Firefox: a request that
 * failed is no exception, nor is a form control that can't be focused.
 */
export const REPORTS_OF_THE_ENGINE =
  /^(Error: )?(Cross-Origin Request Blocked|Content-Security-Policy:|The invalid form control|None of the “sha)/;
