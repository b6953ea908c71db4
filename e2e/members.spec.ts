/** Members of an account, in two browsers at once: an invitation, what the member does, and the end of the membership. */
import { type Browser, expect, type Page } from '@playwright/test';
import { EMAIL } from './pages/account.ts';
import { openDashboard, startDashboardWorld } from './pages/dashboard-world.ts';
import { expectNoFaults, expectNothingCutOff, tabTo, watchErrors } from './pages/own-pages.ts';
import { button, testIn } from './pages/world-test.ts';

const test = testIn(startDashboardWorld);

const NEW_PASSWORD = 'a sentence of the guest';
const PHONE = { width: 390, height: 800 };

let guests = 0;
const newAddress = () => {
  guests += 1;
  return `guest-${process.pid}-${guests}@example.org`;
};

/** Another browser. @returns its page, and what expects no errors of it */
async function openAnother(browser: Browser): Promise<{ page: Page; expectNoErrors(): void }> {
  const page = await (await browser.newContext({ viewport: PHONE })).newPage();
  return { page, expectNoErrors: watchErrors(page) };
}

/** Invites an address by the form of the page. @returns the link */
async function invite(page: Page, email: string, role: string): Promise<string> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Role', { exact: true }).selectOption(role);
  await button(page, 'Invite').click();
  await expect(page.getByRole('status')).toContainText('Copy its link now');
  return page.locator('#invitation-link').innerText();
}

test('invites a member who may only verify, sees what the member did, and ends the membership: the other browser is out at its next request', async ({
  page,
  browser,
  world,
}) => {
  const email = newAddress();
  await openDashboard(page, world, '/dashboard/members');
  const link = await invite(page, email, 'member');

  const { page: guest, expectNoErrors } = await openAnother(browser);
  await guest.goto(link);
  await expect(guest.getByRole('main')).toContainText(EMAIL);
  await guest.getByLabel('Password').fill(NEW_PASSWORD);
  await button(guest, 'Accept').click();
  await guest.waitForURL(`${world.origin}/dashboard/`);
  // Nothing about members is in the menu, nor at the address of the page.
  await guest.getByText('Menu').click();
  await expect(guest.getByRole('link', { name: 'Verify' }).first()).toBeVisible();
  await expect(guest.getByRole('link', { name: 'Members' })).toHaveCount(0);
  await guest.goto(`${world.origin}/dashboard/members`);
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText('Not allowed');
  await guest.goto(`${world.origin}/dashboard/keys/new`);
  await guest.getByLabel('Name').fill('Trial of the guest');
  await guest.getByText('Private: for your server.').click();
  await button(guest, 'Create key').click();
  await expect(guest.getByRole('status')).toContainText('Copy it now');

  await page.goto(`${world.origin}/dashboard/audit`);
  const entry = page.getByRole('row').filter({ hasText: 'Trial of the guest' });
  await expect(entry).toContainText(email);
  await expect(entry).toContainText('Created the key');
  await page.goto(`${world.origin}/dashboard/members`);
  const row = page.getByRole('row').filter({ hasText: email });
  await row.getByText('End membership').first().click();
  await row.getByRole('button', { name: `End membership of ${email}` }).click();
  await expect(page.getByRole('status')).toContainText('The membership has ended.');
  await expect(page.getByRole('region', { name: 'Members' })).not.toContainText(email);

  await guest.goto(`${world.origin}/dashboard/keys`);
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText('You have no account');
  await page.goto(link);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('This invitation does not work');
  expectNoErrors();
  await guest.context().close();
});

test('invites and accepts by keyboard, without scripts at the guest', async ({ page, browser, world }) => {
  const email = newAddress();
  await openDashboard(page, world, '/dashboard/members');
  await tabTo(page, page.getByLabel('Email'));
  await page.keyboard.type('no address');
  await page.keyboard.press('Enter');
  // The browser keeps such a form back.
  await page.getByLabel('Email').press('ControlOrMeta+a');
  await page.keyboard.type(email);
  await tabTo(page, page.getByLabel('Role', { exact: true }));
  await page.keyboard.press('V');
  await tabTo(page, button(page, 'Invite'));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toBeFocused();
  const link = await page.locator('#invitation-link').innerText();

  const context = await browser.newContext({ javaScriptEnabled: false });
  const guest = await context.newPage();
  await guest.goto(link);
  await expect(guest.getByRole('main')).toContainText('as a viewer');
  await tabTo(guest, guest.getByLabel('Password'));
  await guest.keyboard.type(NEW_PASSWORD);
  await guest.keyboard.press('Enter');
  await guest.waitForURL(`${world.origin}/dashboard/`);
  await context.close();
});

test('switches between two accounts in the menu, without scripts', async ({ browser, world }) => {
  const email = newAddress();
  for (const owner of [EMAIL, newAddress()]) {
    if (owner !== EMAIL) await world.admin('account', 'create', '--email', owner);
    await world.admin(
      ...['account', 'members', 'add', '--email', owner, '--person', email, '--role', 'viewer'],
    );
  }
  const { link } = (await world.admin('person', 'sign-in-link', '--email', email)) as { link: string };
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.origin}${new URL(link).pathname}`);
  await button(page, 'Sign in').click();
  await page.waitForURL(`${world.origin}/dashboard/`);
  const choice = page.getByRole('banner').getByLabel('Account');
  await expect(choice.locator('option:checked')).toHaveText(EMAIL);
  await choice.selectOption({ index: 1 });
  await page.getByRole('banner').getByRole('button', { name: 'Switch' }).click();
  await expect(choice.locator('option:checked')).not.toHaveText(EMAIL);
  await page.goto(`${world.origin}/dashboard/account`);
  await expect(page.getByRole('table')).toContainText('in this browser');
  await expect(page.getByRole('button', { name: /^Switch to / })).toHaveCount(1);
  await context.close();
});

test('passes axe in light and dark, and cuts nothing off on a phone', async ({ page, browser, world }) => {
  const email = `${'a-long-name-'.repeat(4)}${newAddress()}`;
  await openDashboard(page, world, '/dashboard/members');
  await page.setViewportSize(PHONE);
  const link = await invite(page, email, 'admin');
  await expectNoFaults(page);
  await expectNothingCutOff(page);
  const { page: guest, expectNoErrors } = await openAnother(browser);
  await guest.goto(link);
  await expectNoFaults(guest);
  await expectNothingCutOff(guest);
  await guest.getByLabel('Password').fill('short');
  await button(guest, 'Accept').click();
  await expect(guest.getByRole('alert')).toContainText('at least 8 characters');
  await expect(guest.getByLabel('Password')).toBeFocused();
  await expectNoFaults(guest);
  await guest.getByLabel('Password').fill(NEW_PASSWORD);
  await button(guest, 'Accept').click();
  await guest.waitForURL(`${world.origin}/dashboard/`);
  await guest.goto(`${world.origin}/dashboard/account`);
  await expectNoFaults(guest);
  await expectNothingCutOff(guest);
  await page.goto(link);
  await expectNoFaults(page);
  for (const path of ['/dashboard/members', '/dashboard/security']) {
    await page.goto(`${world.origin}${path}`);
    await expectNoFaults(page);
    await expectNothingCutOff(page);
  }
  expectNoErrors();
  await guest.context().close();
});
