/** The sign-in and the decision about an app, in a browser: by keyboard, in two tabs, and with the back button. */
import { expect, type Page } from '@playwright/test';
import { eachRow } from './fixtures.ts';
import { EMAIL, PASSWORD } from './pages/account.ts';
import { type OAuthWorld, startOAuthWorld } from './pages/oauth-world.ts';
import { expectNoFaults, expectNothingCutOff, tabTo } from './pages/own-pages.ts';
import { button, testIn } from './pages/world-test.ts';

const test = testIn(startOAuthWorld);

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(EMAIL);
  await page.getByLabel('Password').fill(PASSWORD);
  await button(page, 'Sign in').click();
}

async function expectBackAtApp(page: Page): Promise<URLSearchParams> {
  await expect(page.getByRole('heading', { name: 'Back at the app' })).toBeVisible();
  return new URL(page.url()).searchParams;
}

test('completes the code flow by keyboard, and gives the app only the code', async ({ page, world }) => {
  world.visits.length = 0;
  const state = '\'"<>&=?#+ %20ü\u{1F600}';
  const link = world.elsewhere(
    `<a href="${world.authorizeUrl({ state }).replaceAll('&', '&amp;')}">Connect</a>`,
  );
  await page.goto(link);
  await tabTo(page, page.getByRole('link', { name: 'Connect' }));
  await page.keyboard.press('Enter');
  await expect(page.getByText('The app Newsletter asks to use your account.')).toBeVisible();
  await expect(page.getByLabel('Email')).toBeFocused();
  await page.keyboard.type(EMAIL);
  await page.keyboard.press('Tab');
  await page.keyboard.type('not the password');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('The email address or the password is wrong.');
  await expect(page.getByText('Lost your password? Ask the operator')).toBeVisible();
  await expect(page.getByLabel('Password')).toBeFocused();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Allow Newsletter to use your account?');
  await expect(page.getByText('The app belongs to the same account.')).toBeVisible();
  await tabTo(page, button(page, 'Allow'));
  await page.keyboard.press('Enter');
  const query = await expectBackAtApp(page);
  expect(query.get('state')).toBe(state);
  const [asked] = world.visits.filter(({ url }) => url.pathname === '/callback');
  expect(asked!.headers.referer).toBeUndefined();
  expect(await world.exchange(query.get('code')!)).toMatchObject({ token_type: 'Bearer', scope: 'all' });
});

test('returns the state to an app with its own line breaks', async ({ page, world }) => {
  await page.goto(world.authorizeUrl({ state: 'sign-in' }));
  await signIn(page);
  // Browsers send every line break of a form field as CR LF.
  await eachRow({ LF: 'a\nb', CR: 'a\rb', 'CR LF': '\r\na\r\n', escapes: '%0A%' }, async (state) => {
    await page.goto(world.authorizeUrl({ state }));
    await button(page, 'Allow').click();
    expect((await expectBackAtApp(page)).get('state')).toBe(state);
  });
});

test('completes the code flow without scripts', async ({ browser, world }) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(world.authorizeUrl());
  await signIn(page);
  await button(page, 'Deny').click();
  expect((await expectBackAtApp(page)).get('error')).toBe('access_denied');
  await page.close();
});

test('shows the decision again after the back button, and accepts a new one', async ({ page, world }) => {
  await page.goto(world.authorizeUrl());
  await signIn(page);
  await button(page, 'Deny').click();
  await expectBackAtApp(page);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Allow Newsletter to use your account?');
  await button(page, 'Allow').click();
  const code = (await expectBackAtApp(page)).get('code')!;
  expect(await world.exchange(code)).toHaveProperty('access_token');
});

test('keeps the request of each tab, before and after the sign-in', async ({ context, page, world }) => {
  const other = await context.newPage();
  await page.goto(world.authorizeUrl({ state: 'one' }));
  await other.goto(world.authorizeUrl({ state: 'other' }));
  await signIn(other);
  // The form of this tab was loaded before the sign-in.
  await signIn(page);
  await expect(page.getByRole('alert')).toHaveText('The form was out of date. Try again.');
  await page.getByRole('link', { name: 'Continue' }).click();
  await button(other, 'Allow').click();
  expect((await expectBackAtApp(other)).get('state')).toBe('other');
  await button(page, 'Allow').click();
  expect((await expectBackAtApp(page)).get('state')).toBe('one');
});

test('leads from an ended session to sign-in, and back to the request', async ({ context, page, world }) => {
  await page.goto(world.authorizeUrl({ state: 'kept' }));
  await signIn(page);
  await expect(button(page, 'Allow')).toBeVisible();
  await test.step('after the cookie was deleted', async () => {
    await context.clearCookies();
    await button(page, 'Allow').click();
    await expect(page.getByRole('alert')).toHaveText(
      'Your session has ended, so your decision was not saved. Sign in, then decide again.',
    );
    await signIn(page);
  });
  await test.step('after a sign-out in another tab', async () => {
    const other = await context.newPage();
    await other.goto(`${world.origin}/dashboard/apps`);
    await button(other, 'Sign out').click();
    await expect(button(other, 'Sign in')).toBeVisible();
    await button(page, 'Allow').click();
    await expect(page.getByRole('alert')).toHaveText(
      'Your session has ended, so your decision was not saved. Sign in, then decide again.',
    );
    await signIn(page);
  });
  await button(page, 'Allow').click();
  expect((await expectBackAtApp(page)).get('state')).toBe('kept');
});

test('keeps the opener of an app that opens a window', async ({ page, world }) => {
  const opener = world.elsewhere('<h1>Opener</h1>');
  await page.goto(opener);
  const opened = page.waitForEvent('popup');
  await page.evaluate((url) => void window.open(url, 'oauth', 'width=400,height=600'), world.authorizeUrl());
  const popup = await opened;
  await signIn(popup);
  await button(popup, 'Allow').click();
  await expectBackAtApp(popup);
  expect(await popup.evaluate(() => window.opener?.document.body.textContent)).toContain('Opener');
});

test('completes the device flow by keyboard', async ({ page, world }) => {
  const device = await world.deviceCode();
  await page.goto(device.verification_uri!);
  await signIn(page);
  await expect(page.getByLabel('Code')).toBeFocused();
  await page.keyboard.type('bcdf-ghjk');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('The code is wrong, or it has expired.');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(device.user_code!.toLowerCase());
  await page.keyboard.press('Enter');
  await expect(page.getByText(device.user_code!, { exact: true })).toBeVisible();
  await tabTo(page, button(page, 'Allow'));
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('The device is connected');
  expect(await world.poll(device.device_code!)).toHaveProperty('access_token');
});

test('shows the field of the code visibly, also with a wrong code', async ({ page, world }) => {
  const borderOf = (label: string) =>
    page.getByLabel(label).evaluate((field) => getComputedStyle(field).borderTopColor);
  await page.goto(`${world.origin}/oauth/device`);
  const ordinary = await borderOf('Email');
  await signIn(page);
  await expect(page.getByLabel('Code')).toHaveCSS('border-top-color', ordinary);
  await page.getByLabel('Code').fill('BCDF-GHJK');
  await button(page, 'Continue').click();
  await expect(page.getByRole('alert')).toBeVisible();
  await page.waitForLoadState();
  const rejected = await page.getByRole('alert').evaluate((text) => getComputedStyle(text).color);
  expect(await borderOf('Code')).toBe(rejected);
});

test('lists the apps for the owner, and removes a permission', async ({ page, world }) => {
  await page.goto(world.authorizeUrl());
  await signIn(page);
  await button(page, 'Allow').click();
  const code = (await expectBackAtApp(page)).get('code')!;
  const { access_token } = await world.exchange(code);
  const ask = async () => (await fetch(`${world.origin}/v1/account?access_token=${access_token}`)).status;
  expect(await ask()).toBe(200);
  await page.goto(`${world.origin}/dashboard/apps`);
  await page.getByRole('button', { name: 'Remove Newsletter' }).click();
  await expect(page.getByRole('status')).toHaveText('The app can no longer use your account.');
  expect(await ask()).toBe(403);
});

test('shows no page in a frame of another site', async ({ page, runningWorld: world }) => {
  await page.goto(world.authorizeUrl());
  await signIn(page);
  await expect(button(page, 'Allow')).toBeVisible();
  const framed = page.waitForResponse(world.authorizeUrl());
  // A page has loaded when its frames have loaded, even if they show nothing.
  await page.goto(
    world.elsewhere(`<iframe src="${world.authorizeUrl().replaceAll('&', '&amp;')}"></iframe>`),
  );
  await framed;
  // Not even the sign-in, which a frame without the cookie would show.
  await expect(page.frameLocator('iframe').locator('form')).toHaveCount(0);
});

test('ignores a form of another site, which neither decides nor signs out', async ({ page, world }) => {
  await page.goto(world.authorizeUrl());
  await signIn(page);
  const fields = await page
    .locator('form input[type=hidden]')
    .evaluateAll((inputs) =>
      inputs.map((input) => [(input as HTMLInputElement).name, (input as HTMLInputElement).value] as const),
    );
  // Even if that site knows the token.
  const inputs = [...fields, ['decision', 'allow'] as const].map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  );
  const form = (path: string, label: string) =>
    `<form method="post" action="${world.origin}${path}">${inputs.join('')}<button>${label}</button></form>`;
  await eachRow({ decides: '/oauth/authorize', 'signs out': '/logout' }, async (path) => {
    await page.goto(world.elsewhere(form(path, 'Win')));
    await button(page, 'Win').click();
    await expect(page.getByText('This form was sent by another site, so it was ignored.')).toBeVisible();
  });
  await page.goto(`${world.origin}/login`);
  await expect(page.getByText(`You are signed in as ${EMAIL}.`)).toBeVisible();
});

test.describe('makes every page accessible', () => {
  /** Each function opens a state of a page. They run in this order. */
  const STATES: Record<string, (page: Page, world: OAuthWorld) => Promise<unknown>> = {
    'sign-in': (page, world) => page.goto(world.authorizeUrl()),
    'sign-in that failed': async (page) => {
      await page.getByLabel('Email').fill('a-very-long-address-without-any-break-in-it@example.com');
      await page.getByLabel('Password').fill('wrong');
      await button(page, 'Sign in').click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
    decision: async (page) => {
      await signIn(page);
      await expect(button(page, 'Allow')).toBeVisible();
    },
    'decision that was out of date': async (page) => {
      await page.locator('[name=form_token]').evaluate((input) => input.setAttribute('value', 'x'));
      await button(page, 'Allow').click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
    'code to copy': async (page, { origin, oobApp }) => {
      const redirect_uri = 'urn:ietf:wg:oauth:2.0:oob';
      const query = { response_type: 'code', client_id: oobApp.client_id, redirect_uri };
      await page.goto(`${origin}/oauth/authorize?${new URLSearchParams(query)}`);
      await button(page, 'Allow').click();
      await expect(page.locator('#code')).toBeVisible();
    },
    'wrong request': (page, world) =>
      page.goto(world.authorizeUrl({ redirect_uri: `https://evil.example/${'x'.repeat(200)}` })),
    'device code': (page, world) => page.goto(`${world.origin}/oauth/device?user_code=BCDF-GHJK`),
    'wrong device code': async (page) => {
      await button(page, 'Continue').click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
    'device decision': async (page, world) => {
      const { verification_uri_complete } = await world.deviceCode();
      await page.goto(verification_uri_complete!);
      await button(page, 'Continue').click();
      await expect(button(page, 'Allow')).toBeVisible();
    },
    'device connected': async (page) => {
      await button(page, 'Allow').click();
      await expect(page.locator('.done')).toBeVisible();
    },
    'signed in': (page, world) => page.goto(`${world.origin}/login`),
    'another account': (page, world) => page.goto(`${world.origin}/login?other=account`),
  };
  test('passes axe, and cuts nothing off at 320 px or from right to left', async ({ page, world }) => {
    await eachRow(STATES, async (bring) => {
      await page.setViewportSize({ width: 800, height: 900 });
      await bring(page, world);
      await expectNoFaults(page);
      await expectNothingCutOff(page);
    });
  });
});
