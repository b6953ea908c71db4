/** Second factors in a browser, with an authenticator that Chromium plays. */
import { expect } from '@playwright/test';
import { leaveOutFor } from './engines/differences.ts';
import { EMAIL } from './pages/account.ts';
import { startOAuthWorld } from './pages/oauth-world.ts';
import { expectNoFaults, expectNothingCutOff } from './pages/own-pages.ts';
import {
  addPasskey,
  codeOf,
  Device,
  givePassword,
  SECURITY,
  setUpApp,
  signOut,
  urlOf,
} from './pages/second-factor.ts';
import { button, testIn } from './pages/world-test.ts';

const test = testIn(startOAuthWorld);

const SIGN_IN = 'Sign in with a passkey';

test.beforeEach(async ({ page, world }) => {
  leaveOutFor('protocol of Chromium', page);
  await world.admin('person', 'reset-second-factor', '--email', EMAIL);
});

test('adds a passkey, signs in by it alone and after the password, removes it', async ({ page, world }) => {
  const device = await Device.on(page);
  await givePassword(page, world);
  await addPasskey(page, world);
  await expect(page.locator('ol#recovery-codes > li')).toHaveCount(10);
  await device.touch(false);
  await signOut(page);
  // The page of the sign-out must not get the touch.
  await page.goto('about:blank');
  // The field asks for a passkey as soon as the page is there. The page may be left before its `load` event.
  await device.touch(true);
  await page.goto(urlOf(world, '/login?return_to=%2Fdashboard%2Fkeys'), { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Keys');
  // From here on, only the buttons ask.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
  await signOut(page);
  await button(page, SIGN_IN).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await signOut(page);
  await givePassword(page, world);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second step');
  await button(page, SIGN_IN).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await page.goto(urlOf(world, SECURITY));
  const row = page.getByRole('row', { name: /Laptop/ });
  await row.getByText('Change').click();
  await button(page, 'Remove the passkey Laptop').click();
  await expect(page.getByRole('status')).toContainText('The passkey was removed.');
  await expect(row).toHaveCount(0);
});

test('confirms with a passkey what is guarded, and keeps what was typed', async ({ page, world }) => {
  await Device.on(page);
  await givePassword(page, world);
  await addPasskey(page, world);
  await page.goto(urlOf(world, '/dashboard/keys/new'));
  await page.getByLabel('Name').fill('Shop');
  await world.passSeconds(3600);
  await button(page, 'Create key').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm that it is you');
  await expectNoFaults(page);
  await button(page, 'Use a passkey').click();
  await expect(page.getByLabel('Name')).toHaveValue('Shop');
});

test('signs in with an authenticator app, and with a recovery code', async ({ page, world }) => {
  await givePassword(page, world);
  const { secret, codes } = await setUpApp(page, world);
  expect(codes).toHaveLength(10);
  await signOut(page);
  await givePassword(page, world);
  const field = page.locator('input[autocomplete="one-time-code"]');
  await expect(field).toBeFocused();
  await field.fill('000000');
  await button(page, 'Sign in').click();
  await expect(page.getByRole('alert')).toContainText('The code is wrong');
  await expect(field).toBeFocused();
  const code = codeOf(secret, 30);
  await field.fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await field.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await signOut(page);
  await givePassword(page, world);
  await page.getByLabel('Recovery code').fill(codes[0]!);
  await button(page, 'Use a recovery code').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
  await page.goto(urlOf(world, SECURITY));
  await page.getByText('Remove the app…').click();
  await button(page, 'Remove the app').click();
  await expect(page.getByRole('status')).toContainText('The authenticator app was removed.');
});

test('passes axe, and cuts nothing off at 320 px or from right to left', async ({ page, world }) => {
  const device = await Device.on(page);
  await givePassword(page, world);
  await page.goto(urlOf(world, `${SECURITY}/totp`));
  await expectNoFaults(page);
  await setUpApp(page, world);
  await expectNoFaults(page);
  await addPasskey(page, world);
  await page.goto(urlOf(world, SECURITY));
  await expectNoFaults(page);
  await expectNothingCutOff(page);
  // In a narrow window, the button is in the menu.
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.reload();
  // Otherwise it would answer the request of the field, and sign in.
  await device.touch(false);
  await signOut(page);
  await expectNoFaults(page);
  await givePassword(page, world);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Second step');
  await expectNoFaults(page);
  await expectNothingCutOff(page);
});

test('says without scripts that passkeys need them', async ({ browser, world }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  // Where Playwright turns scripts off, Chromium does not show what is in such an element.
  const saysSo = async () =>
    (await page.content()).includes('<noscript><p class="note">Passkeys need JavaScript');
  await page.goto(urlOf(world, '/login'));
  expect(await saysSo()).toBe(true);
  await expect(button(page, SIGN_IN)).toBeHidden();
  await givePassword(page, world);
  await page.goto(urlOf(world, SECURITY));
  expect(await saysSo()).toBe(true);
  await button(page, 'Add a passkey').click();
  await expect(page.getByRole('alert')).toContainText('Turn it on in this browser');
  const { codes } = await setUpApp(page, world);
  expect(codes).toHaveLength(10);
  await page.close();
});
