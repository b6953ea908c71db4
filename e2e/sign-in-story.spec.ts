/** People of one account, from the first start to the end of a membership. Other specs have the parts. */
import { expect } from '@playwright/test';
import { leaveOutFor } from './engines/differences.ts';
import { EMAIL } from './pages/account.ts';
import { NAME, signInAtProvider, startFirm } from './pages/firm.ts';
import { invite, NEW_PASSWORD, newAddress, openAnother } from './pages/members.ts';
import { addPasskey, Device, givePassword, setUpApp, urlOf } from './pages/second-factor.ts';
import { button, testIn } from './pages/world-test.ts';

const test = testIn(() => startFirm(false));

test('an owner loses all factors, has a member, and lets the firm sign in', async ({
  page,
  browser,
  world,
}) => {
  test.slow();
  leaveOutFor('protocol of Chromium', page);

  // The operator has made the account. The owner signs in, and sets up a passkey and an app.
  await Device.on(page);
  await givePassword(page, world);
  await addPasskey(page, world);
  await expect(page.locator('ol#recovery-codes > li')).toHaveCount(10);
  const codes = await page.locator('ol#recovery-codes > li').allInnerTexts();
  await setUpApp(page, world);

  // Both are lost with the device. A recovery code is left.
  const { page: owner, expectNoErrors } = await openAnother(browser);
  await givePassword(owner, world);
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('Second step');
  await owner.getByLabel('Recovery code').fill(codes[0]!);
  await button(owner, 'Use a recovery code').click();
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('Overview');

  // The owner invites a member.
  const email = newAddress();
  await owner.goto(urlOf(world, '/dashboard/members'));
  const link = await invite(owner, email, 'member');
  const { page: guest, expectNoErrors: expectNoErrorsOfGuest } = await openAnother(browser);
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

  await owner.goto(urlOf(world, '/dashboard/audit'));
  const entry = owner.getByRole('row').filter({ hasText: 'Trial of the guest' });
  await expect(entry).toContainText(email);
  await expect(entry).toContainText('Created the key');
  await owner.goto(urlOf(world, '/dashboard/members'));
  const row = owner.getByRole('row').filter({ hasText: email });
  await row.getByText('End membership').first().click();
  await row.getByRole('button', { name: `End membership of ${email}` }).click();
  await expect(owner.getByRole('status')).toContainText('The membership has ended.');
  await expect(owner.getByRole('region', { name: 'Members' })).not.toContainText(email);

  await guest.goto(`${world.origin}/dashboard/keys`);
  await expect(guest.getByRole('heading', { level: 1 })).toHaveText('You have no account');
  await owner.goto(link);
  await expect(owner.getByRole('heading', { level: 1 })).toHaveText('This invitation does not work');
  expectNoErrorsOfGuest();
  await guest.context().close();
  expectNoErrors();
  await owner.context().close();

  // A colleague comes from the provider, and has no password here.
  const { page: colleague } = await openAnother(browser);
  await colleague.goto(`${world.origin}/dashboard/batches`);
  await button(colleague, `Sign in with ${NAME}`).click();
  await signInAtProvider(colleague, 'grace');
  await expect(colleague).toHaveURL(`${world.origin}/dashboard/batches`);
  await expect(colleague.getByRole('heading', { name: 'Batches', level: 1 })).toBeVisible();
  await colleague.context().close();
});
