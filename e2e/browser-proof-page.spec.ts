/** The demo's page of the browser's own proof, in the whole Chromium as the page says how to start it, and without that. */
import { rmSync } from 'node:fs';
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { test as base, expect, expectNobodyLeftOut, expectNoCollision } from './pages/demo-page.ts';

const MAILBOX = 'deliverable@example.com';
const RULES = '--host-resolver-rules=';

const pageOf = ({ origin }: { origin: string }) => `${origin}/proof/browser/`;
const ready = (page: Page) => page.locator('#ready');
const verdict = (page: Page) => page.locator('#verdict');
const check = (page: Page, code: string) =>
  page
    .locator('#checks > div')
    .filter({ has: page.getByRole('term').getByText(code, { exact: true }) })
    .getByRole('definition')
    .last();
const email = (page: Page) => page.getByLabel('Email address');

/** A browser that was started by the command of the page. */
const test = base.extend<{ visitor: Page }>({
  visitor: async ({ demo, page }, use, { project }) => {
    await page.goto(pageOf(demo));
    await expect(page.locator('#command')).toHaveText(/^chromium .+ \S+$/);
    const command = await page.locator('#command').innerText();
    const [, ...words] = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain!,
    );
    expect(words.pop()).toBe(pageOf(demo));
    const [profile = '', ...switches] = words.map((word) => word.replace('--user-data-dir=', ''));
    const { args = [], ...launch } = project.use.launchOptions ?? {};
    let context: BrowserContext | undefined;
    try {
      context = await chromium.launchPersistentContext(profile, {
        ...launch,
        // Only the last list of rules counts, and the tests' own says no more than that no other host exists.
        args: [...args.filter((each) => !each.startsWith(RULES)), ...switches],
      });
      const [own = await context.newPage()] = context.pages();
      await own.goto(pageOf(demo));
      await use(own);
    } finally {
      await context?.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    }
  },
});

async function signIn(page: Page): Promise<void> {
  const [provider] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'sign in at the mail provider' }).press('Enter'),
  ]);
  await provider.getByRole('button', { name: 'Sign in' }).press('Enter');
  await expect(provider.getByText(`You are signed in as ${MAILBOX}.`)).toBeVisible();
  await provider.close();
}

/** By the keyboard: the browser asks the provider when the field is left. */
async function submit(page: Page): Promise<void> {
  await email(page).fill('');
  await email(page).pressSequentially(MAILBOX);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Sign up' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'What the server finds' })).toBeFocused();
}

test('shows the token of a signed-in visitor, and each check of the server', async ({ demo, visitor }) => {
  await expect(ready(visitor)).toHaveText(/^It takes part\./);
  await submit(visitor);
  await expect(verdict(visitor)).toHaveText(/^absent The browser had no token\./);
  await expect(check(visitor, 'absent')).toHaveText('no');
  await expect(check(visitor, 'signature')).toHaveText('not checked');
  await expect(visitor.getByRole('heading', { name: 'What the browser signed' })).toBeHidden();
  await signIn(visitor);
  // The browser may need a moment more than the widget.
  await expect(async () => {
    await visitor.getByRole('link', { name: 'open the page again' }).press('Enter');
    await expect(ready(visitor)).toHaveText(/^It takes part\./);
    await submit(visitor);
    const told = await verdict(visitor).innerText();
    expect(told).toBe(`accounts.provider.localhost says that you control ${MAILBOX}.`);
  }).toPass();
  await expect(visitor.locator('#checks .accepted')).toHaveCount(17);
  const part = (name: string) =>
    visitor
      .locator('#bound > div')
      .filter({ hasText: new RegExp(`^${name}`) })
      .getByRole('definition')
      .first();
  await expect(part('aud')).toHaveText(demo.origin);
  // Every name has its meaning.
  await expect(visitor.getByText('It is not part of a proof.')).toHaveCount(0);
  await visitor.getByRole('button', { name: 'Sign up' }).press('Enter');
  await expect(verdict(visitor)).toHaveText(/^nonce The nonce of this page was used before\./);
  await expect(check(visitor, 'audience')).toHaveText('yes');
  for (const width of [390, 1_200]) {
    await visitor.setViewportSize({ width, height: 900 });
    await expectNobodyLeftOut(visitor);
  }
});

test('says in a browser without the switches how to start one, and has no token', async ({ demo, page }) => {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).hostname));
  test.slow();
  for (const width of [320, 390, 1_200]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(pageOf(demo));
    await expect(ready(page)).toHaveText(/^It does not take part.*Start Chromium with the command below/);
    await submit(page);
    await expect(verdict(page)).toHaveText('absent This browser has no token, like those of most visitors.');
    await expectNoCollision(page, `${width} px`);
    await expectNobodyLeftOut(page);
    await page.evaluate(() => localStorage.clear());
  }
  // Both are this machine, without a look-up.
  expect([...new Set(asked)]).toEqual(['127.0.0.1', 'accounts.provider.localhost']);
});

test('holds a form sent before the session comes, and says if it does not', async ({ demo, page }) => {
  let isThere = () => {};
  const there = new Promise<void>((resolve) => {
    isThere = resolve;
  });
  await page.route('**/proof/browser/session', async (route) => {
    await there;
    await route.continue();
  });
  await page.goto(pageOf(demo));
  await email(page).fill(MAILBOX);
  await page.getByRole('button', { name: 'Sign up' }).press('Enter');
  isThere();
  await expect(verdict(page)).toHaveText(/^absent /);
  await expect(page).toHaveURL(pageOf(demo));
  await page.unroute('**/proof/browser/session');
  await page.route('**/proof/browser/session', (route) => route.fulfill({ status: 500, json: {} }));
  await page.reload();
  await expect(ready(page)).toHaveText(/^The demo did not begin a session/);
  await email(page).fill(MAILBOX);
  await page.getByRole('button', { name: 'Sign up' }).press('Enter');
  await expect(page).toHaveURL(pageOf(demo));
});

test('is found from the first page and from the page of the proof', async ({ demo, page }) => {
  for (const path of ['/', '/proof/']) {
    await page.goto(demo.origin + path);
    await page.locator('main, footer').getByRole('link', { name: 'The browser’s own proof' }).press('Enter');
    await expect(page).toHaveURL(pageOf(demo));
    await expect(page.getByRole('navigation').locator('[aria-current]')).toHaveText('Proof');
  }
});
