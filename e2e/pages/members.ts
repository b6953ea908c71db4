/** People who are invited, each in a browser of their own. */
import { type Browser, expect, type Page } from '@playwright/test';
import { watchErrors } from './own-pages.ts';
import { button } from './world-test.ts';

export const NEW_PASSWORD = 'a sentence of the guest';
export const PHONE = { width: 390, height: 800 };

let guests = 0;
export const newAddress = () => {
  guests += 1;
  return `guest-${process.pid}-${guests}@example.org`;
};

/** Another browser. @returns its page, and what expects no errors of it */
export async function openAnother(browser: Browser): Promise<{ page: Page; expectNoErrors(): void }> {
  const page = await (await browser.newContext({ viewport: PHONE })).newPage();
  return { page, expectNoErrors: watchErrors(page) };
}

/** Invites an address by the form of the page. @returns the link */
export async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Role', { exact: true }).selectOption(role);
  await button(page, 'Invite').click();
  await expect(page.getByRole('status')).toContainText('Copy its link now');
  return page.locator('#invitation-link').innerText();
}
