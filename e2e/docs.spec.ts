/** The documentation at `/docs/`, as a service without the demo serves it: every page, and the search. */
import { join } from 'node:path';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import { SECTIONS } from '../docs/site/manifest.ts';
import { makeTemporaryFolder } from '../test/service/support/temporary-folder.ts';
import { leaveOutFor, wish } from './engines/differences.ts';
import { faultsOf, overflowOf } from './pages/demo-page.ts';
import { watchErrors } from './pages/own-pages.ts';
import { type RunningService, removeFolder, startService } from './pages/service-process.ts';
import { expectTargets } from './pages/targets.ts';

const CONFIG = { keys: [{ key: 'test_private_docs', kind: 'private' }] };

const test = base.extend<{ service: RunningService }, { runningService: RunningService }>({
  runningService: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
    async ({}, use) => {
      const folder = makeTemporaryFolder('evw-docs-');
      const service = await startService(CONFIG, join(folder, 'config.json'));
      await use(service);
      await service.stop();
      removeFolder(folder);
    },
    { scope: 'worker' },
  ],
  service: async ({ page, runningService }, use) => {
    const expectNoErrors = watchErrors(page);
    await use(runningService);
    await page.close();
    expectNoErrors();
  },
});

/** The parts of a page that a test uses. */
const partsOf = (page: Page) => ({
  field: page.getByRole('searchbox', { name: 'Search the documentation' }),
  hits: page.locator('.hits').getByRole('link'),
  count: page.getByRole('search').getByRole('status'),
  title: page.getByRole('heading', { level: 1 }),
});

const urlOf = (page: (typeof SECTIONS)[number]['pages'][number]): string =>
  'url' in page
    ? page.url
    : `/docs/${page.file
        .replace(/^docs\//, '')
        .replace(/(README)?\.md$/, '')
        .toLowerCase()}/`.replace(/\/+$/, '/');

/** `/debug/` and `/reference/` are not the documentation's own, and the JSON is not a page. */
const isOwn = (url: string): boolean => /^\/docs\/.*\/$/.test(url);

for (const { title, pages } of [...SECTIONS, { title: 'the rest', pages: [] }]) {
  test(`passes axe and fits 320 px on every page of ${title}`, async ({ service, page }) => {
    const own = pages.map(urlOf).filter(isOwn);
    const urls =
      own.length > 0 ? own : ['/docs/', '/docs/search?q=captcha', '/docs/search?q=qqqqzzzz', '/docs/missing'];
    for (const url of urls) {
      await test.step(url, async () => {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.goto(service.origin + url);
        expect(await faultsOf(page)).toEqual([]);
        await expectTargets(page);
        await page.setViewportSize({ width: 320, height: 700 });
        expect(await overflowOf(page), 'at 320 px').toBe(0);
        await wish(page, { colorScheme: 'dark' });
        expect(await faultsOf(page), 'dark, at 320 px').toEqual([]);
        await wish(page, {});
      });
    }
  });
}

test('leads from a page to the next one, back, and to each heading', async ({ service, page }) => {
  await page.goto(`${service.origin}/docs`);
  const { title } = partsOf(page);
  await expect(title).toHaveText('Documentation');
  await page.getByRole('main').getByRole('link', { name: 'Batches' }).last().click();
  await expect(title).toHaveText('Batches');
  await page.getByRole('link', { name: 'Next OAuth' }).click();
  await expect(page).toHaveURL(/\/docs\/oauth\/$/);
  await page.getByRole('link', { name: 'Previous Batches' }).click();
  const outline = page.getByRole('navigation', { name: 'On this page' });
  await outline.getByRole('link', { name: 'Callbacks' }).click();
  await expect(page).toHaveURL(/\/docs\/batch\/#callbacks$/);
  await expect(page.getByRole('heading', { name: 'Callbacks' })).toBeInViewport();
  const sections = page.getByRole('navigation', { name: 'Documentation' });
  await expect(sections.getByRole('link', { name: 'Batches' })).toHaveAttribute('aria-current', 'page');
});

test('shows a way in for each reader on the first page', async ({ service, page }) => {
  await page.goto(`${service.origin}/docs/`);
  for (const [who, first] of [
    ['You own a site', 'First steps'],
    ['You write code', 'API reference'],
    ['You run the service', 'Hosting'],
  ] as const) {
    const way = page.locator('section').filter({ has: page.getByRole('heading', { name: who }) });
    await expect(way.getByRole('link').first()).toHaveText(first);
  }
});

test('shows results while the reader types, and lets the keyboard reach them', async ({ service, page }) => {
  await page.goto(`${service.origin}/docs/oauth/`);
  const { field, hits, count, title } = partsOf(page);
  await field.fill('turnstlie');
  await expect(hits.first()).toContainText('Turnstile');
  await expect(count).toHaveText(/results? for turnstlie/);
  await field.press('Escape');
  await expect(hits).toHaveCount(0);
  await expect(field).toBeFocused();
  await field.fill('turnstile');
  await expect(hits.first()).toBeVisible();
  await field.press('ArrowDown');
  await expect(hits.first()).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(field).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/docs\/captchas\/#turnstile$/);
  await expect(title).toHaveText('Captchas');
});

test('replaces the results on the page of a search, and the query in its URL', async ({ service, page }) => {
  await page.goto(`${service.origin}/docs/search?q=oauth`);
  const { field, hits } = partsOf(page);
  await expect(hits.first()).toContainText('OAuth');
  await field.fill('prometheus');
  await expect(hits.first()).toContainText('Operations');
  await expect(page).toHaveURL(/\?q=prometheus$/);
  await field.fill('qqqqxxxxzzzz');
  await expect(page.locator('#results')).toContainText('No results for qqqqxxxxzzzz.');
  await expect(hits).toHaveCount(0);
});

test('shows a query as text in every place', async ({ service, page }) => {
  const query = '"><img src=x onerror="document.title=\'taken\'"> captcha';
  await page.goto(`${service.origin}/docs/search?q=${encodeURIComponent(query)}`);
  const { field } = partsOf(page);
  await expect(field).toHaveValue(query);
  await field.fill(`${query} x`);
  await expect(page.getByRole('search').getByRole('status')).toContainText('onerror');
  await expect(page.locator('img')).toHaveCount(0);
  await expect(page).toHaveTitle(/^Search/);
});

test('copies code unchanged', async ({ service, page, context }) => {
  leaveOutFor('protocol of Chromium', page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // Time stands still, because the button says "Copied" for two seconds only.
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto(`${service.origin}/docs/recipes/captcha/`);
  const block = page.locator('.code').first();
  await block.getByRole('button', { name: 'Copy' }).click();
  await expect(block.getByRole('button')).toHaveText('Copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await block.locator('code').textContent());
});

test('leads from an old link at /docs/ to the reference of the API', async ({ service, page }) => {
  await page.goto(`${service.origin}/docs/#Result`);
  await expect(page).toHaveURL(/\/docs\/api\/#Result$/);
  await expect(page.getByRole('heading', { name: 'Result', exact: true })).toBeInViewport();
});

test('lets the keyboard reach the content, scroll tables and open sections', async ({ service, page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto(`${service.origin}/docs/privacy/`);
  await page.keyboard.press('Tab');
  await expect(page.locator(':focus')).toHaveText('Skip to the content');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  const table = page.getByRole('group', { name: 'Table: What the widget sends' });
  await table.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => table.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(0);
  await page.getByText('All pages').press('Enter');
  await page
    .getByRole('navigation', { name: 'Documentation' })
    .getByText('Hosting', { exact: true })
    .first()
    .press('Enter');
  await page.getByRole('link', { name: 'Operations', exact: true }).press('Enter');
  await expect(partsOf(page).title).toHaveText('Operations');
});

test('shades the side where a wide table continues', async ({ service, page }) => {
  await page.setViewportSize({ width: 320, height: 700 });
  await page.goto(`${service.origin}/docs/privacy/`);
  const table = page.getByRole('group', { name: 'Table: What the widget sends' });
  const shaded = () =>
    table.evaluate((element) => {
      // Each shadow has two offsets, its blur and its spread. A shadow without blur is invisible.
      const lengths = (getComputedStyle(element).boxShadow.match(/-?[\d.]+(?=px)/g) ?? []).map(Number);
      const offsets = lengths.filter((_, index) => index % 4 === 0 && lengths[index + 2]! > 0);
      return { left: offsets.some((x) => x > 0), right: offsets.some((x) => x < 0) };
    });
  // Firefox has no animations by scrolling yet.
  const shades = await page.evaluate(() => CSS.supports('animation-timeline: scroll()'));
  await expect.poll(shaded).toEqual({ left: false, right: shades });
  await table.evaluate((element) => element.scrollTo(40, 0));
  await expect.poll(shaded).toEqual({ left: shades, right: shades });
  await table.evaluate((element) => element.scrollTo(9999, 0));
  await expect.poll(shaded).toEqual({ left: shades, right: false });
});

test('works without scripts: the sections, the search and the headings', async ({ service, browser }) => {
  const context: BrowserContext = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  leaveOutFor('a page without scripts', page);
  await page.goto(`${service.origin}/docs/privacy/`);
  const { field, hits, title } = partsOf(page);
  await field.fill('turnstlie');
  await field.press('Enter');
  await expect(page).toHaveURL(/\/docs\/search\?q=turnstlie$/);
  await hits.first().click();
  await expect(page).toHaveURL(/\/docs\/captchas\/#turnstile$/);
  const sections = page.getByRole('navigation', { name: 'Documentation' });
  await sections.getByText('Hosting', { exact: true }).first().click();
  await sections.getByRole('link', { name: 'Scaling' }).click();
  await expect(title).toHaveText('Scaling');
  await context.close();
});

test('prints the text without the navigation', async ({ service, page }) => {
  await page.goto(`${service.origin}/docs/captchas/`);
  leaveOutFor('system settings', page);
  await page.emulateMedia({ media: 'print' });
  for (const part of ['.masthead', '.side', '.outline', '.neighbours', '.copy'])
    await expect(page.locator(part).first()).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Turnstile' })).toBeVisible();
});
