/** The dashboard of the demo account, whose sample history fills every page, in every width and colour scheme. */
import { test as base, expect, type Page } from '@playwright/test';
import { faultsOf, overflowOf } from './pages/demo-page.ts';
import { type RunningService, startDemo } from './pages/service-process.ts';

const test = base.extend<{ demo: RunningService }, { runningDemo: RunningService }>({
  runningDemo: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
    async ({}, use) => {
      const demo = await startDemo();
      await use(demo);
      await demo.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  demo: async ({ page, runningDemo }, use) => {
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.stack ?? String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`${runningDemo.origin}/dashboard/`);
    await signIn(page, runningDemo);
    await use(runningDemo);
    expect(errors, 'exceptions, and what the policy forbids').toEqual([]);
  },
});

async function signIn(page: Page, { said }: RunningService): Promise<void> {
  const [, email, password] = /(\S+@\S+), password (\S+)/.exec(said)!;
  await page.getByLabel('Email').fill(email!);
  await page.getByLabel('Password').fill(password!);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
}

/** Visits all linked pages, without files. Of pages that differ only in their query, it visits two. */
async function crawl(page: Page, origin: string, look: (path: string) => Promise<void>): Promise<string[]> {
  const found = ['/dashboard/'];
  const seen = new Map<string, number>();
  for (const path of found) {
    await page.goto(origin + path);
    await look(path);
    const links = await page
      .locator('a[href^="/dashboard/"]:not([download])')
      .evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute('href')!));
    for (const link of links) {
      const [bare = ''] = link.split(/[?#]/);
      if (/\.(csv|json|zip)$/.test(bare) || found.includes(link) || (seen.get(bare) ?? 0) >= 2) continue;
      seen.set(bare, (seen.get(bare) ?? 0) + 1);
      found.push(link);
    }
  }
  return found;
}

for (const scheme of ['light', 'dark'] as const) {
  test(`passes axe on every page, in ${scheme}`, async ({ page, demo }) => {
    test.setTimeout(180_000);
    await page.emulateMedia({ colorScheme: scheme });
    const visited = await crawl(page, demo.origin, async (path) => {
      expect(await faultsOf(page), path).toEqual([]);
      // Opens everything that can be opened.
      await page.locator('details').evaluateAll((all) => {
        for (const details of all) (details as HTMLDetailsElement).open = true;
      });
      expect(await faultsOf(page), `${path}, with all of it open`).toEqual([]);
    });
    expect(visited.length).toBeGreaterThan(15);
  });
}

test('scrolls no page sideways at 320 px, or with text of twice the size', async ({ page, demo }) => {
  test.setTimeout(180_000);
  await page.setViewportSize({ width: 320, height: 640 });
  await crawl(page, demo.origin, async (path) => {
    await page.locator('details').evaluateAll((all) => {
      for (const details of all) (details as HTMLDetailsElement).open = true;
    });
    expect(await overflowOf(page), path).toBe(0);
  });
  await page.setViewportSize({ width: 640, height: 640 });
  await crawl(page, demo.origin, async (path) => {
    await page.locator(':root').evaluate((root: HTMLElement) => root.setAttribute('class', 'large'));
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    expect(await overflowOf(page), `${path}, in large letters`).toBe(0);
  });
});

test('keeps every page below 100 kB', async ({ page, demo }) => {
  test.setTimeout(120_000);
  await crawl(page, demo.origin, async (path) => {
    const bytes = await page.evaluate(() => {
      const entries = [
        ...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource'),
      ] as PerformanceResourceTiming[];
      return entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    });
    expect(bytes, path).toBeGreaterThan(1_000);
    expect(bytes, path).toBeLessThan(100_000);
  });
});

test('works without scripts on every page', async ({ browser, runningDemo }) => {
  test.setTimeout(120_000);
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${runningDemo.origin}/dashboard/`);
  await signIn(page, runningDemo);
  for (const section of ['Verify', 'Batches', 'Keys', 'Apps', 'Usage', 'Audit log', 'Settings']) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: section }).click();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  }
  await context.close();
});

test('lets the keyboard reach the content by one press, and every section', async ({ page, demo }) => {
  await page.goto(`${demo.origin}/dashboard/keys`);
  await page.keyboard.press('Tab');
  await expect(page.locator(':focus')).toHaveText('Skip to the content');
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
  await page.getByRole('link', { name: 'Settings' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});
