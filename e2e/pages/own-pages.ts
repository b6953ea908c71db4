/** For every page behind the sign-in: no exception, no fault of axe, no text cut off, and a way through it by keyboard. */
import { expect, type Locator, type Page } from '@playwright/test';
import axe from 'axe-core';
import { wish } from '../engines/differences.ts';
import { expectTargets } from './targets.ts';

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/**
 * Collects the faults of a page while a test uses it.
 *
 * @returns a function that expects no faults. Call it at the end.
 */
export function watchErrors(page: Page): () => void {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
  page.on('console', (message) => {
    // The status of a response is not an error of the page.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      errors.push(message.text());
  });
  return () => expect(errors, 'exceptions, and what the policy forbids').toEqual([]);
}

/**
 * Moves the focus to a control by the Tab key, as soon as the page shows it. While Firefox leaves a page, that key moves
 * the focus to the window's own controls, and then Enter presses no button of the page.
 */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element === document.activeElement)) return;
  }
  throw new Error(`Expected to reach ${target} by the Tab key.`);
}

const LOOKS = {
  light: { colorScheme: 'light', forcedColors: 'none' },
  dark: { colorScheme: 'dark', forcedColors: 'none' },
  'forced colours': { colorScheme: 'dark', forcedColors: 'active' },
} as const;

/** Expects no faults of axe on the current page: in light, in dark, and in forced colours. Everything can be pressed. */
export async function expectNoFaults(page: Page): Promise<void> {
  // With its style sheets.
  await page.waitForLoadState();
  await expectTargets(page);
  await page.evaluate(axe.source);
  for (const [name, look] of Object.entries(LOOKS)) {
    await wish(page, look);
    const { violations, incomplete } = await page.evaluate(() =>
      window.axe.run({ resultTypes: ['violations', 'incomplete'] }),
    );
    const told = [...violations, ...incomplete].map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
    );
    expect(told, name).toEqual([]);
  }
}

/** Expects that no element overflows or is cut off at 320 px, from left to right and from right to left. */
export async function expectNothingCutOff(page: Page): Promise<void> {
  await page.setViewportSize({ width: 320, height: 600 });
  for (const direction of ['ltr', 'rtl']) {
    await page.evaluate((dir) => document.documentElement.setAttribute('dir', dir), direction);
    const cut = await page.evaluate(() => {
      const width = document.documentElement.clientWidth;
      // An element that scrolls may be wider.
      return [...document.querySelectorAll('body *:not(.scroll *)')]
        .filter((element) => {
          const { left, right } = element.getBoundingClientRect();
          return left < 0 || right > width || element.scrollWidth > element.clientWidth + 1;
        })
        .filter(
          (element) =>
            getComputedStyle(element).display !== 'inline' && !element.matches('input, .scroll, .skip'),
        )
        .map((element) => element.outerHTML.slice(0, 80));
    });
    expect(cut, direction).toEqual([]);
  }
}
