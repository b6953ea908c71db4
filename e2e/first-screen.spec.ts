/** The form of the demo's first page, which types a mistyped address once by itself. In Chromium and in Firefox. */
import type { Page } from '@playwright/test';
import { expect, stopClock, test } from './pages/demo-page.ts';

const TYPO = 'julia@gmial.com';
const MEANT = 'julia@gmail.com';

const inputOf = (page: Page) => page.getByLabel('Email address');
const suggestionOf = (page: Page) => page.locator('.email-verify-status').getByRole('button');
const focusIsOn = (page: Page) => page.evaluate(() => document.activeElement?.localName);

/** Opens the page, and stops the clock when the page has typed a few characters. */
async function openTyping(page: Page, origin: string): Promise<void> {
  await stopClock(page);
  await page.goto(`${origin}/`);
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.clock.runFor(1_250);
  await expect(inputOf(page)).toHaveValue(/^jul[^@]*$/);
}

test('types a mistyped address once, moves nothing, and corrects it by one press', async ({ demo, page }) => {
  await page.goto(`${demo.origin}/`);
  const input = inputOf(page);
  await expect(input).toHaveValue(TYPO);
  await expect(page.locator('.email-verify-status')).toHaveText(`Did you mean ${MEANT}?`);
  await expect(page.getByText('Press the suggestion to correct it.')).toBeVisible();
  expect([await focusIsOn(page), await page.evaluate('scrollY')]).toEqual(['body', 0]);

  await suggestionOf(page).click();
  await expect(input).toHaveValue(MEANT);
  await expect(page.getByText('Accepted. The form can be submitted.')).toBeVisible();
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page.getByRole('status').filter({ hasText: MEANT })).toHaveText(
    `The form was submitted with ${MEANT}. This demo sends it nowhere.`,
  );
  expect(page.url()).toBe(`${demo.origin}/`);

  // Once by itself, and once more on request.
  await page.getByRole('button', { name: 'Play again' }).click();
  await expect(input).toHaveValue(TYPO);
  await expect(suggestionOf(page)).toHaveText(MEANT);
});

test('leaves the field empty if a visitor enters it while the page types', async ({ demo, page }) => {
  await openTyping(page, demo.origin);
  await inputOf(page).click();
  await page.clock.resume();
  await expect(inputOf(page)).toHaveValue('');
  await page.keyboard.type('disposable@example.com');
  await page.keyboard.press('Tab');
  await expect(inputOf(page)).toHaveValue('disposable@example.com');
  await expect(page.getByText('Rejected. The form cannot be submitted.')).toBeVisible();
});

test('stops typing when a button is pressed, and leaves the field empty', async ({ demo, page }) => {
  await openTyping(page, demo.origin);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.clock.resume();
  await expect(page.getByRole('button', { name: 'Play again' })).toBeFocused();
  await expect(page.getByText('The typing has stopped.')).toBeVisible();
  await expect(inputOf(page)).toHaveValue('');
  await page.getByRole('button', { name: 'Play again' }).click();
  await expect(suggestionOf(page)).toHaveText(MEANT);
});
