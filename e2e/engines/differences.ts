/**
 * The parts of tests that an engine deliberately skips. Each is a row of docs/browsers.md, and a test compares that page
 * with this list. Such a test says where it stops. It counts as left out, never as passed.
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

/** Skips the rest of the test if the engine is one of those. */
export function leaveOutFor(difference: Difference, page: Page): void {
  const engines: readonly string[] = DIFFERENCES[difference];
  test.info().skip(engines.includes(engineOf(page)), `docs/browsers.md: ${difference}`);
}

/** A visitor's system settings, in the words of media queries. */
interface Wishes {
  readonly colorScheme?: 'light' | 'dark';
  readonly forcedColors?: 'none' | 'active';
  readonly reducedMotion?: 'no-preference' | 'reduce';
}

/** The settings of a system without preferences. */
const UNWISHED = { colorScheme: 'light', forcedColors: 'none', reducedMotion: 'no-preference' } as const;

/** Sets a system setting, and waits until the page sees it. */
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
 * Messages that Firefox writes about a page, and that Playwright reports as exceptions: a failed request, and a form
 * control that cannot be focused.
 */
export const REPORTS_OF_THE_ENGINE =
  /^(Error: )?(Cross-Origin Request Blocked|Content-Security-Policy:|The invalid form control|None of the “sha)/;
