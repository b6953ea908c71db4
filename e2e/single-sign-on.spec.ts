/** A firm signs in through its own OpenID provider, and needs no password here. */
import { expect } from '@playwright/test';
import { NAME, signInAtProvider, startFirm } from './pages/firm.ts';
import { expectNothingCutOff, tabTo } from './pages/own-pages.ts';
import { button, testIn } from './pages/world-test.ts';

const test = testIn(startFirm);

test('signs a new colleague in by keyboard, without a password here', async ({ page, world }) => {
  await page.goto(`${world.origin}/dashboard/batches`);
  await expect(page.getByLabel('Password')).toHaveCount(0);
  await expectNothingCutOff(page);
  await tabTo(page, button(page, `Sign in with ${NAME}`));
  await page.keyboard.press('Enter');
  await signInAtProvider(page, 'grace');
  // The page that she wanted.
  await expect(page).toHaveURL(`${world.origin}/dashboard/batches`);
  await expect(page.getByRole('heading', { name: 'Batches', level: 1 })).toBeVisible();
  await expect(page.getByText('grace@example.com').first()).toBeAttached();
});

test('signs a person in without scripts', async ({ browser, world }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${world.origin}/login`);
  await button(page, `Sign in with ${NAME}`).click();
  await signInAtProvider(page, 'ada');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await page.close();
});

test('tells a person without a group what to do', async ({ page, world }) => {
  await page.goto(`${world.origin}/login`);
  await button(page, `Sign in with ${NAME}`).click();
  await signInAtProvider(page, 'eve');
  await expect(page.getByRole('heading', { name: 'Not signed in' })).toBeVisible();
  await expect(page.getByText(`You are in no group at ${NAME}`)).toBeVisible();
  await expectNothingCutOff(page);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(button(page, `Sign in with ${NAME}`)).toBeVisible();
});

test('ends the session of a person who signs out at the provider', async ({ page, world }) => {
  await page.goto(`${world.origin}/login`);
  await button(page, `Sign in with ${NAME}`).click();
  await signInAtProvider(page, 'ada');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(`${world.provider.issuer}/session/end`);
  await other.locator('button[name=logout]').click();
  await expect(async () => {
    await page.reload();
    await expect(button(page, `Sign in with ${NAME}`)).toBeVisible({ timeout: 1_000 });
  }).toPass();
});
