/** Keys and apps in the dashboard: from the first sign-in to a verified address, and from a new app to its removal. */
import { expect, type Page } from '@playwright/test';
import { leaveOutFor } from './engines/differences.ts';
import { eachRow } from './fixtures.ts';
import { EMAIL, PASSWORD } from './pages/account.ts';
import { openDashboard } from './pages/dashboard-world.ts';
import { type OAuthWorld, startOAuthWorld } from './pages/oauth-world.ts';
import { expectNoFaults, expectNothingCutOff, tabTo } from './pages/own-pages.ts';
import { button, testIn } from './pages/world-test.ts';

const test = testIn(startOAuthWorld);

const FORM = `<form><label for="email">Email</label> <input id="email" name="email" type="email"> <button>Send</button></form>
<script>
  window.verified = new Promise((resolve) => {
    document.querySelector('#email').addEventListener('verified', ({ detail }) => resolve(detail.accepted));
  });
</script>`;

/** Types an address into a page of the trusted origin. @returns whether the widget accepted it */
async function verdictOn(page: Page, world: OAuthWorld, snippet: string, address: string): Promise<unknown> {
  await page.goto(world.elsewhere(`${snippet}${FORM}`));
  await page.getByLabel('Email').fill(address);
  await page.getByLabel('Email').press('Tab');
  return page.evaluate('window.verified');
}

test('leads from the first sign-in to a verified address, by keyboard', async ({ page, context, world }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${world.origin}/dashboard/keys`);
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.keyboard.type(EMAIL);
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Keys');
  await tabTo(page, page.getByRole('link', { name: 'Create key' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByLabel('Name'));
  await page.keyboard.type('Sign-up form');
  await tabTo(page, page.getByRole('radio', { name: 'Public' }));
  await tabTo(page, page.getByLabel('Trusted domains'));
  await page.keyboard.type('a@localhost');
  await tabTo(page, button(page, 'Create key'));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('No key was created.');
  await expect(page.getByLabel('Trusted domains')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('localhost');
  await tabTo(page, button(page, 'Create key'));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status')).toContainText('Copy it now');
  await tabTo(page, button(page, 'Copy snippet'));
  await page.keyboard.press('Enter');
  // The button says it for two seconds only.
  await expect(page.locator('#announced')).toHaveText('Copied');
  const snippet = await page.evaluate(() => navigator.clipboard.readText());
  expect(snippet).toContain(await page.locator('#new-key').innerText());
  expect(await verdictOn(page, world, snippet, 'deliverable@example.com')).toBe(true);
  expect(await verdictOn(page, world, snippet, 'undeliverable@example.com')).toBe(false);
});

test('changes the snippet with its options, and the widget with the snippet', async ({ page, world }) => {
  await openDashboard(page, world, '/dashboard/keys/new');
  await page.getByLabel('Name').fill('Strict form');
  await page.getByLabel('Trusted domains').fill('localhost');
  await button(page, 'Create key').click();
  // The script that follows the options shows this button.
  await expect(button(page, 'Copy snippet')).toBeVisible();
  await page.getByText('Choose options').click();
  await page.getByLabel('Role addresses').selectOption('Reject');
  await page.getByLabel('When to verify').selectOption('On leaving the field');
  const shown = page.locator('#snippet');
  await expect(shown).toContainText(`data-allow='{"role":false}'`);
  await expect(shown).toContainText('data-verify-on="blur"');
  await expect(shown).toContainText(await page.locator('#new-key').innerText());
  const snippet = (await shown.textContent())!;
  expect(await verdictOn(page, world, snippet, 'role@example.com')).toBe(false);
});

test('makes, rolls and revokes a key without scripts', async ({ browser, world }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  const ask = async (key: string | null) =>
    (
      await fetch(`${world.origin}/v1/verify?email=a@example.com`, {
        headers: { Authorization: `Bearer ${key}` },
      })
    ).status;
  await openDashboard(page, world, '/dashboard/keys/new');
  await page.getByLabel('Name').fill('Server');
  await page.getByText('Private: for your server.').click();
  await expect(page.getByLabel('Trusted domains')).toBeHidden();
  await button(page, 'Create key').click();
  const first = await page.locator('#new-key').textContent();
  expect(await ask(first)).toBe(200);
  await page.getByRole('link', { name: 'Go to the key' }).click();
  await page.getByLabel('The old value').selectOption('stops at once');
  await button(page, 'Roll key').click();
  const second = await page.locator('#new-key').textContent();
  expect(await ask(second)).toBe(200);
  await expect.poll(() => ask(first)).toBe(403);
  await page.goBack();
  await page.getByText('Revoke…').click();
  await button(page, 'Revoke key').click();
  await expect(page.getByRole('status')).toContainText('The key was revoked.');
  await expect.poll(() => ask(second)).toBe(403);
  await page.close();
});

test('asks for the password again to roll a key or show a secret, by keyboard', async ({ page, world }) => {
  const confirm = async (password: string) => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm your password');
    await expect(page.getByLabel('Password')).toBeFocused();
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
  };
  await openDashboard(page, world, '/dashboard/keys/new');
  await page.getByLabel('Name').fill('Newsletter');
  await page.getByLabel('Trusted domains').fill('localhost');
  await button(page, 'Create key').press('Enter');
  const first = await page.locator('#new-key').innerText();
  await page.getByRole('link', { name: 'Go to the key' }).press('Enter');

  await world.passSeconds(601);
  await tabTo(page, page.getByLabel('The old value'));
  await page.keyboard.press('Home');
  await tabTo(page, button(page, 'Roll key'));
  await page.keyboard.press('Enter');
  await confirm('not the password');
  await expect(page.getByText('The password is wrong.')).toBeVisible();
  await confirm(PASSWORD);
  await expect(page.getByRole('status')).toContainText('the old one stops at once');
  expect(await page.locator('#new-key').innerText()).not.toBe(first);

  await world.passSeconds(601);
  await page.goto(`${world.origin}/dashboard/settings`);
  expect(await page.content()).not.toContain('whsec_');
  await tabTo(page, button(page, 'Show the secret'));
  await page.keyboard.press('Enter');
  await confirm(PASSWORD);
  await expect(page.getByText(/^whsec_/)).toBeVisible();
});

test('makes no second key when the page with a new key is loaded again', async ({ page, world }) => {
  await openDashboard(page, world, '/dashboard/keys/new');
  await page.getByLabel('Name').fill('Only once');
  await page.getByLabel('Trusted domains').fill('localhost');
  await button(page, 'Create key').click();
  const key = await page.locator('#new-key').innerText();
  leaveOutFor('a form submitted again by a reload', page);
  await page.reload();
  await expect(page.getByRole('status')).toContainText('This key already exists.');
  await expect(page.getByText(key)).toHaveCount(0);
  await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Keys' }).click();
  await expect(page.getByRole('link', { name: 'Only once' })).toHaveCount(1);
});

test('makes, authorises, lists and removes an app', async ({ page, world }) => {
  await openDashboard(page, world, '/dashboard/apps/new');
  await page.getByLabel('Name').fill('Calendar');
  await page.getByLabel('Redirect URIs').fill(world.callback);
  await button(page, 'Create app').click();
  const client_id = await page.locator('#client-id').innerText();
  const client_secret = await page.locator('#client-secret').innerText();
  await page.goto(world.authorizeUrl({ client_id }));
  await button(page, 'Allow').click();
  await expect(page.getByRole('heading', { name: 'Back at the app' })).toBeVisible();
  const code = new URL(page.url()).searchParams.get('code')!;
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: world.callback,
    client_id,
    client_secret,
  };
  const answer = await fetch(`${world.origin}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
  });
  const { access_token } = (await answer.json()) as { access_token: string };
  const ask = async () => (await fetch(`${world.origin}/v1/account?access_token=${access_token}`)).status;
  expect(await ask()).toBe(200);
  await page.goto(`${world.origin}/dashboard/apps/${client_id}`);
  await expect(page.getByRole('region', { name: 'Who has authorised it' })).toContainText(EMAIL);
  await page.goto(`${world.origin}/account/apps`);
  await expect(page).toHaveURL(`${world.origin}/dashboard/apps`);
  await page.getByRole('button', { name: 'Remove Calendar' }).click();
  await expect(page.getByRole('status')).toHaveText('The app can no longer use your account.');
  await expect.poll(ask).toBe(403);
  await expect(page.getByRole('button', { name: 'Remove Calendar' })).toHaveCount(0);
});

test.describe('makes every page accessible', () => {
  /** Each function opens a state of a page. They run in this order. */
  const STATES: Record<string, (page: Page, world: OAuthWorld) => Promise<unknown>> = {
    'the keys': (page, world) => openDashboard(page, world, '/dashboard/keys'),
    'a form that was not accepted': async (page, world) => {
      await page.goto(`${world.origin}/dashboard/keys/new`);
      await page.getByLabel('Name').fill('A name as long as anybody would ever give to a key of theirs');
      await page.getByLabel('Trusted domains').fill(`${'long.'.repeat(30)}example\n*.shop.example`);
      await page.getByLabel('Captcha', { exact: true }).selectOption('hCaptcha');
      await page.getByLabel('Captcha secret').fill('secret');
      await button(page, 'Create key').click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
    'a new public key': async (page) => {
      await page.getByLabel('Trusted domains').fill(`${'long.'.repeat(30)}example\ngithub.io`);
      await button(page, 'Create key').click();
      await page.getByText('Choose options').click();
    },
    'the page of a key': (page) => page.getByRole('link', { name: 'Go to the key' }).click(),
    'a rolled key': (page) => button(page, 'Roll key').click(),
    'a key with an old value': async (page) => {
      await page.getByRole('link', { name: 'Go to the key' }).click();
      await page.getByText('Revoke…').click();
    },
    'the snippet': (page) => page.getByRole('link', { name: 'Snippet for your pages' }).click(),
    'a new private key': async (page, world) => {
      await page.goto(`${world.origin}/dashboard/keys/new`);
      await page.getByLabel('Name').fill('Server');
      await page.getByRole('radio', { name: 'Private' }).check();
      await button(page, 'Create key').click();
    },
    'keys that are revoked': async (page) => {
      await page.getByRole('link', { name: 'Go to the key' }).click();
      await page.getByText('Revoke…').click();
      await button(page, 'Revoke key').click();
      await page.getByText(/^Revoked keys \(/).click();
    },
    'a revoked key': (page) => page.getByRole('link', { name: 'Server' }).first().click(),
    'an unknown key': (page, world) => page.goto(`${world.origin}/dashboard/keys/key_0`),
    'the apps': async (page, world) => {
      await page.goto(world.authorizeUrl());
      await button(page, 'Allow').click();
      await page.getByRole('heading', { name: 'Back at the app' }).waitFor();
      await world.exchange(new URL(page.url()).searchParams.get('code')!);
      await page.goto(`${world.origin}/dashboard/apps`);
    },
    'an app that was not accepted': async (page, world) => {
      await page.goto(`${world.origin}/dashboard/apps/new`);
      await page.getByLabel('Name').fill('Television');
      await button(page, 'Create app').click();
    },
    'a new app': async (page) => {
      await page.getByLabel('Allow the device flow').check();
      await button(page, 'Create app').click();
    },
    'the page of an app': (page, world) => page.goto(`${world.origin}/dashboard/apps/${world.app.client_id}`),
    'an app with an old secret': async (page) => {
      await page.getByRole('link', { name: 'Apps' }).last().click();
      await page.getByRole('link', { name: 'Television' }).first().click();
      await button(page, 'Roll secret').click();
      await page.getByRole('link', { name: 'Go to the app' }).click();
      await page.getByText('Delete…').click();
    },
  };
  test('passes axe, and cuts nothing off at 320 px or from right to left', async ({ page, world }) => {
    await eachRow(STATES, async (bring) => {
      await page.setViewportSize({ width: 1000, height: 900 });
      await bring(page, world);
      await expectNoFaults(page);
      await expectNothingCutOff(page);
    });
  });
});
