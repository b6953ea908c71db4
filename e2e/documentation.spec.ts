/** The references that `npm start` serves: of the API at `/docs/api/`, and of the module at `/reference/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { test as base, expect, type Page } from '@playwright/test';
import axe from 'axe-core';
import { wish } from './engines/differences.ts';
import { eachRow } from './fixtures.ts';
import { runningDemo } from './pages/running-demo.ts';
import type { RunningService } from './pages/service-process.ts';

const test = base.extend<{ demo: RunningService }, { runningDemo: RunningService }>({
  runningDemo,
  demo: async ({ page, runningDemo }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await use(runningDemo);
    await page.waitForLoadState();
    await page.close();
    expect(errors, 'exceptions, and what the policy forbids').toEqual([]);
  },
});

async function expectNoBarriers(page: Page): Promise<void> {
  // Not in a script tag, because the page's policy allows none. Colours are checked in both schemes, all else once.
  await page.evaluate(axe.source);
  for (const scheme of ['light', 'dark'] as const) {
    await wish(page, { colorScheme: scheme });
    const runOnly = scheme === 'dark' ? { runOnly: ['color-contrast'] } : {};
    // TypeDoc's script makes its list of modules, with links in the summaries.
    const where = { exclude: [['.tsd-navigation summary']] };
    const { violations } = await page.evaluate(([context, options]) => window.axe.run(context, options), [
      where,
      runOnly,
    ] as const);
    const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`);
    expect(told, scheme).toEqual([]);
  }
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

test('lets readers try every request of the API on its page, which is accessible', async ({ demo, page }) => {
  await page.goto(`${demo.origin}/docs/`);
  await page.getByRole('link', { name: 'API reference' }).first().click();
  await expect(page).toHaveURL(/\/docs\/api\/$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API reference');
  const get = page.getByRole('form').first();
  const post = page.getByRole('form').nth(1);
  const WAYS: Record<string, { form: typeof get; type?: string; place: RegExp }> = {
    'in the query': { form: get, place: /query/ },
    'in the header': { form: get, place: /header/ },
    'a form-encoded body': { form: post, type: 'application/x-www-form-urlencoded', place: /body/ },
    'a multipart body': { form: post, type: 'multipart/form-data', place: /body/ },
    'a JSON body': { form: post, type: 'application/json', place: /header/ },
  };
  await eachRow(WAYS, async ({ form, type, place }, name) => {
    const address = `${name.replaceAll(/\W/g, '-')}@company.example`;
    const request = page.waitForRequest(/\/v1\/verify/);
    await form.getByLabel('email', { exact: true }).fill(address);
    await form.getByLabel('timeout').press('ArrowUp');
    if (type) await form.getByLabel('Type of body').selectOption(type);
    const option = await form.getByLabel('The key goes').locator('option', { hasText: place }).textContent();
    await form.getByLabel('The key goes').selectOption(option);
    await form.getByRole('button', { name: 'Send' }).click();
    const answer = form.getByRole('status', { name: 'Answer' });
    await expect(answer).toContainText('200 OK');
    await expect(answer).toContainText(`"email": "${address}"`);
    await expect(answer).toContainText('ratelimit-remaining: ');
    const { authorization = '', 'content-type': sent = '' } = await (await request).allHeaders();
    expect(authorization).toBe(place.test('header') ? 'Bearer test_public_demo' : '');
    expect(sent).toContain(type ?? '');
  });
  await get.getByLabel('email', { exact: true }).fill('slow@example.com');
  await get.getByRole('button', { name: 'Send' }).click();
  await expect(get.getByRole('status')).toContainText('249 Try Again');

  const account = page.getByRole('form', { name: 'Try GET /v1/account' });
  await account.getByRole('button', { name: 'Send' }).click();
  await expect(account.getByRole('status')).toContainText('"owner_email": "demo@example.com"');
  const batch = page.getByRole('form', { name: 'Try POST /v1/batch' });
  await batch.getByLabel('emails', { exact: true }).fill('deliverable@example.com');
  await batch.getByRole('button', { name: 'Send' }).click();
  await expect(batch.getByRole('status')).toContainText('"message": "Batch successfully created."');

  // The code of a request: one language is open at a time, with the URL of this service.
  const section = page.getByRole('region', { name: 'GET /v1/verify Verify an address' });
  for (const [language, text] of [
    ['Python', `"${demo.origin}/v1/verify?" + query`],
    ['PHP', `"${demo.origin}/v1/verify?" . http_build_query`],
  ] as const) {
    const summary = section.locator('summary', { hasText: language });
    await summary.focus();
    await summary.press('Enter');
    const code = section.locator('[open] .code');
    await expect(code).toHaveCount(1);
    await expect(code).toContainText(text);
    await expect(code).toContainText('Bearer test_private_demo');
    await expect(code.getByRole('button', { name: 'Copy' })).toBeVisible();
  }

  await page.setViewportSize({ width: 320, height: 700 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await expectNoBarriers(page);
});

test('finds the exports of the module, under the policy of the page', async ({ demo, page }) => {
  const answer = await page.goto(`${demo.origin}/reference/`);
  const policy = (await answer!.allHeaders())['content-security-policy']!;
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self'");
  const content = page.getByRole('main');
  const entries = content.getByRole('link');
  for (const entry of ['', '/react', '/vue', '/captcha/turnstile', '/testing/playwright', '/debug'])
    await expect(entries.filter({ hasText: new RegExp(`^email-verify-widget${entry}$`) })).toBeVisible();
  await expectNoBarriers(page);
  await content.getByText('Most pages need only').getByRole('link', { name: 'options' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Interface Options');
  await page.goBack();
  await entries.filter({ hasText: /^email-verify-widget$/ }).click();
  await content.getByRole('link', { name: 'install', exact: true }).last().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Function install');
  await page.waitForLoadState();
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('combobox').fill('verificationTimeout');
  await page.locator('#tsd-search-results').getByText('verificationTimeout').first().click();
  await expect(page).toHaveURL(/#verificationtimeout$/);
  await expectNoBarriers(page);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Docs' }).click();
  await expect(page).toHaveURL(/\/docs\/$/);
  await page.getByRole('link', { name: 'Module reference' }).click();
  await expect(page).toHaveURL(/\/reference\/$/);
  await expect(pages.getByRole('link', { name: 'Docs' })).toHaveAttribute('aria-current', 'true');
  await page.setViewportSize({ width: 320, height: 700 });
  // The reference has a script that lays it out, and the window takes a frame for its size.
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await expectNoBarriers(page);
});

test('has no dead link and no page with its own script in the reference of the module', () => {
  const folder = new URL('../dist/reference/', import.meta.url);
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const wrong = pages
    .filter((name) => name.endsWith('.html'))
    .flatMap((name) => {
      const html = readFileSync(new URL(name, folder), 'utf8');
      const links = [...html.matchAll(/ (?:href|src)="([^"#]+)[^"]*"/g)].map(([, link = '']) => link);
      const dead = links.filter((link) => {
        // The service has these files for all pages.
        const shared = `${'../'.repeat(name.split('/').length)}(house\\.css|logo\\.svg|view\\.js)`;
        if (link.startsWith('https:') || new RegExp(`^${shared}$`).test(link)) return false;
        return !pages.includes(decodeURI(new URL(link, `file:///${name}`).pathname).slice(1));
      });
      if (/<script>|<style| style="| on\w+="/.test(html)) dead.push('an inline script or style');
      return dead.map((link) => `${name}: ${link}`);
    });
  expect(pages).toContain('functions/email-verify-widget.install.html');
  expect(wrong).toEqual([]);
});
