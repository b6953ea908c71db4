/** Members of an account: invitations, and the choice of an account. `sign-in-story.spec.ts` has the life of a member. */
import { expect } from '@playwright/test';
import { EMAIL } from './pages/account.ts';
import { openDashboard, startDashboardWorld } from './pages/dashboard-world.ts';
import { invite, NEW_PASSWORD, newAddress, openAnother, PHONE } from './pages/members.ts';
import { expectNoFaults, expectNothingCutOff, tabTo } from './pages/own-pages.ts';
import { button, testIn } from './pages/world-test.ts';

const test = testIn(startDashboardWorld);

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

  const guest = await browser.newPage({ javaScriptEnabled: false });
  await guest.goto(link);
  await expect(guest.getByRole('main')).toContainText('as a viewer');
  await tabTo(guest, guest.getByLabel('Password'));
  await guest.keyboard.type(NEW_PASSWORD);
  await guest.keyboard.press('Enter');
  await guest.waitForURL(`${world.origin}/dashboard/`);
  await guest.close();
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
  const page = await browser.newPage({ javaScriptEnabled: false });
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
  await page.close();
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
