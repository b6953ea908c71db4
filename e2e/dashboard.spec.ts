/** The dashboard of the demo account, whose sample history fills every page, in every width and colour scheme. */
import { type Browser, test as base, expect, type Page } from '@playwright/test';
import { leaveOutFor } from './engines/differences.ts';
import { faultsOf, overflowOf } from './pages/demo-page.ts';
import { sharedLandmarksOf } from './pages/landmarks.ts';
import { runningDemo } from './pages/running-demo.ts';
import type { RunningService } from './pages/service-process.ts';
import { smallTargetsOf } from './pages/targets.ts';

const test = base.extend<{ demo: RunningService }, { runningDemo: RunningService }>({
  runningDemo,
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
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
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

/** Opens everything that can be opened. */
const openAll = (page: Page): Promise<void> =>
  page.locator('details').evaluateAll((all) => {
    for (const details of all) (details as HTMLDetailsElement).open = true;
  });

for (const scheme of ['light', 'dark'] as const) {
  test(`passes axe on every page, in ${scheme}`, async ({ page, demo }) => {
    test.setTimeout(600_000);
    await page.emulateMedia({ colorScheme: scheme });
    const visited = await crawl(page, demo.origin, async (path) => {
      // Only the colours differ.
      if (scheme === 'light') expect(await faultsOf(page), path).toEqual([]);
      await openAll(page);
      expect(await faultsOf(page), `${path}, with all of it open`).toEqual([]);
    });
    expect(visited.length).toBeGreaterThan(15);
  });
}

test('scrolls no page sideways at 320 px, or with text of twice the size', async ({ page, demo }) => {
  test.setTimeout(600_000);
  await crawl(page, demo.origin, async (path) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await openAll(page);
    expect(await overflowOf(page), path).toBe(0);
    await page.setViewportSize({ width: 640, height: 640 });
    await expect.poll(() => page.evaluate('innerWidth')).toBe(640);
    await page.evaluate(() => {
      document.documentElement.className = 'large';
      document.documentElement.style.fontSize = '200%';
    });
    expect(await overflowOf(page), `${path}, in large letters`).toBe(0);
  });
});

test('keeps every page below 100 kB, with 24-pixel targets and unique landmarks', async ({ page, demo }) => {
  test.setTimeout(600_000);
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
    await openAll(page);
    expect(await smallTargetsOf(page, 24), path).toEqual([]);
    expect(await sharedLandmarksOf(page), path).toEqual([]);
  });
  for (const path of ['docs/api/', 'docs/widget/', 'docs/changelog/']) {
    await page.goto(`${demo.origin}/${path}`);
    await openAll(page);
    expect(await sharedLandmarksOf(page), path).toEqual([]);
  }
});

test('works without scripts on every page', async ({ browser, runningDemo }) => {
  test.setTimeout(600_000);
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${runningDemo.origin}/dashboard/`);
  await signIn(page, runningDemo);
  for (const section of ['Verify', 'Batches', 'Keys', 'Apps', 'Usage', 'Audit log', 'Settings']) {
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: section }).click();
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  }
  await page.close();
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

test('moves the focus to the sentence that says what an action did', async ({ page, demo }) => {
  await page.goto(`${demo.origin}/dashboard/settings`);
  await page.getByRole('button', { name: 'Save', exact: true }).press('Enter');
  await expect(page.locator('.done')).toBeFocused();
  await page.goto(`${demo.origin}/dashboard/verify`);
  await page.getByRole('radio', { name: /^Test/ }).check();
  await page.getByLabel('Email address').fill('ada@example.com');
  await page.getByLabel('Email address').press('Enter');
  await expect(page.locator('#headline')).toBeFocused();
});

test('shows each time in the time zone of its reader, and in no other', async ({ browser, runningDemo }) => {
  test.setTimeout(600_000);
  const page = await browser.newPage({ timezoneId: 'Asia/Kolkata' });
  await page.goto(`${runningDemo.origin}/dashboard/`);
  await signIn(page, runningDemo);
  let times = 0;
  await crawl(page, runningDemo.origin, async (path) => {
    times += await page.locator('time[datetime*="T"]').count();
    const text = await page.locator('main').innerText();
    expect(text.match(/\d\d:\d\d UTC/g), path).toBeNull();
  });
  expect(times).toBeGreaterThan(20);
  await page.close();
});

test.describe('on the touch screen of a phone', () => {
  const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

  async function openPhone(browser: Browser, demo: RunningService): Promise<Page> {
    const context = await browser.newContext(PHONE);
    const page = await context.newPage();
    await page.goto(`${demo.origin}/dashboard/`);
    await signIn(page, demo);
    return page;
  }

  test('takes at most a quarter of the window before the title', async ({
    browser,
    runningDemo,
    page: any,
  }) => {
    leaveOutFor('system settings', any);
    const page = await openPhone(browser, runningDemo);
    await page.goto(`${runningDemo.origin}/dashboard/keys`);
    const title = page.getByRole('heading', { level: 1 });
    expect((await title.boundingBox())!.y).toBeLessThanOrEqual(211);
    const menu = page.locator('.sections-folded > summary');
    await expect(menu).toContainText('Keys');
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeHidden();
    await menu.press('Enter');
    await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
    await page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: 'Usage' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Usage' })).toBeVisible();
    await page.context().close();
  });

  test('cuts no table off, and has targets 44 pixels high', async ({ browser, runningDemo, page: any }) => {
    leaveOutFor('system settings', any);
    test.setTimeout(600_000);
    const page = await openPhone(browser, runningDemo);
    await crawl(page, runningDemo.origin, async (path) => {
      await openAll(page);
      const cut = await page
        .locator('.scroll:has(.cards-if-narrow)')
        .evaluateAll((all) =>
          all.flatMap((one) =>
            one.scrollWidth > one.clientWidth
              ? [`${one.getAttribute('aria-label')}: ${one.scrollWidth} of ${one.clientWidth}`]
              : [],
          ),
        );
      expect(cut, path).toEqual([]);
      expect(await smallTargetsOf(page, 44), path).toEqual([]);
    });
    await page.context().close();
  });
});

test('marks the current page under forced colours by an outline', async ({ page, demo }) => {
  leaveOutFor('system settings', page);
  await page.emulateMedia({ forcedColors: 'active' });
  for (const path of ['dashboard/keys', 'docs/widget/']) {
    await page.goto(`${demo.origin}/${path}`);
    const marked = page.locator('nav [aria-current]:visible');
    for (const link of await marked.all()) await expect(link, path).toHaveCSS('outline-style', 'solid');
    expect(await marked.count(), path).toBeGreaterThan(1);
  }
});
