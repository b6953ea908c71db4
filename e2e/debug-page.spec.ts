/** The demo's debug page: a time line of what the widget sees and does, and why. */
import type { Page } from '@playwright/test';
import { expect, expectNobodyLeftOut, expectNoCollision, setView, test } from './pages/demo-page.ts';

const entries = (page: Page) => page.getByRole('list', { name: 'Time line' }).getByRole('listitem');

/** Types an address that is rejected, and waits for its entry in the time line. */
async function enterRejected(page: Page): Promise<void> {
  await expect(entries(page).first()).toContainText('widget installed');
  await page.getByLabel('Email address').fill('undeliverable@example.com');
  await page.getByLabel('Email address').press('Enter');
  await expect(entries(page).filter({ hasText: 'verified: rejected' })).toHaveCount(1);
}

test('shows what happens in the form, and clears the time line', async ({ demo, page }) => {
  await page.goto(`${demo.origin}/debug/`);
  await enterRejected(page);
  for (const text of [
    'changed to "undeliverable@example.com"',
    'verifying, because',
    '200 after',
    'refused',
  ]) {
    await expect(entries(page).filter({ hasText: text }).first()).toBeVisible();
  }
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(entries(page)).toHaveCount(0);
  await page.getByLabel('Email address').fill('joe@nowhere');
  await expect(entries(page).first()).toContainText('0.00 s');
});

test('passes axe, fits a phone, and covers no field with a message', async ({ demo, page }) => {
  test.slow();
  for (const width of [320, 1_200]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${demo.origin}/debug/`);
    await enterRejected(page);
    await expectNoCollision(page, `${width} px`);
    await expectNobodyLeftOut(page);
    await setView(page, 'Large text', false);
  }
});
