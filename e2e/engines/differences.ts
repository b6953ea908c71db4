/**
 * What the tests cannot try in an engine. Each entry is a row of docs/browsers.md, and a test compares the two. A test
 * that stops for one of these counts as skipped, not as passed.
 */
import { expect, type Page, test } from '@playwright/test';

export const DIFFERENCES = {
  'protocol of Chromium': ['firefox', 'webkit'],
  'system settings': ['firefox'],
  'a page restored from the cache': ['firefox'],
  'an address filled in at once': ['firefox'],
  'a reloaded page with restored values': ['firefox', 'webkit'],
  'a page without scripts': ['firefox'],
  'a form submitted again by a reload': ['firefox'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Difference = keyof typeof DIFFERENCES;

export const engineOf = (page: Page): string => page.context().browser()?.browserType().name() ?? '';

/** Skips the rest of the test if the engine has this limit. */
export function leaveOutFor(difference: Difference, page: Page): void {
  const engines: readonly string[] = DIFFERENCES[difference];
  test.info().skip(engines.includes(engineOf(page)), `docs/browsers.md: ${difference}`);
}

/** Settings of a visitor's system, by their names in media queries. */
interface Wishes {
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'none' | 'active';
  readonly reducedMotion?: 'no-preference' | 'reduce';
}

/** Their values on a system without such settings. */
const UNWISHED = { colorScheme: 'light', forcedColors: 'none', reducedMotion: 'no-preference' } as const;

/** Changes settings of the system, and checks that the page sees them. */
export async function wish(page: Page, wishes: Wishes): Promise<void> {
  const wanted = { ...UNWISHED, ...wishes };
  if (JSON.stringify(wanted) !== JSON.stringify(UNWISHED)) leaveOutFor('system settings', page);
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
 * Messages of the engine itself, which Playwright reports as exceptions in Firefox. A failed request is not an
 * exception, and neither is a form control that cannot take the focus.
 */
export const REPORTS_OF_THE_ENGINE =
  /^(Error: )?(Cross-Origin Request Blocked|Content-Security-Policy:|The invalid form control|None of the “sha)/;
