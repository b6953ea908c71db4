/** A firm signs in through its own OpenID provider, and needs no password here. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { freePort } from '../test/free-port.ts';
import { CLIENT } from '../test/service/support/scripted-provider.ts';
import { startOpenIdProvider } from '../test/service/support/start-openid-provider.ts';
import { EMAIL, newAccountData } from './pages/account.ts';
import { expectNothingCutOff, tabTo } from './pages/own-pages.ts';
import { removeFolder, startService } from './pages/service-process.ts';
import { button, testIn } from './pages/world-test.ts';

const NAME = 'Firm Login';

/** The service of a firm whose people sign in through its provider only. */
async function startFirm() {
  const { folder, data } = await newAccountData();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const provider = await startOpenIdProvider({
    origin,
    persons: {
      ada: { email: EMAIL, email_verified: true, groups: [] },
      grace: { email: 'grace@example.com', email_verified: true, groups: ['staff'] },
      eve: { email: 'eve@example.com', email_verified: true, groups: [] },
    },
  });
  writeFileSync(join(folder, 'secret'), CLIENT.secret);
  const oidc = {
    ...{ name: NAME, issuer: provider.issuer, clientId: CLIENT.id, allowedDomains: ['example.com'] },
    ...{ clientSecretFile: join(folder, 'secret'), only: true },
    ...{ account: EMAIL, rolesClaim: 'groups', roles: { staff: 'member' } },
  };
  const service = await startService({ database: data, oidc }, join(folder, 'config.json'), port);
  return {
    ...{ origin, provider },
    async stop() {
      await provider.stop();
      await service.stop();
      removeFolder(folder);
    },
  };
}

const test = testIn(startFirm);

/** The pages of the provider, which are not ours. */
async function signInAtProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login);
  await page.locator('input[name=password]').fill('what only the provider knows');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

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
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.origin}/login`);
  await button(page, `Sign in with ${NAME}`).click();
  await signInAtProvider(page, 'ada');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await context.close();
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
