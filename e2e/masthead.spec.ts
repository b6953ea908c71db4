/** Parts of all pages: the masthead with its links, the View disclosure, and the chosen colours. */
import type { Page } from '@playwright/test';
import { leaveOutFor } from './engines/differences.ts';
import { eachRow } from './fixtures.ts';
import { expect, faultsOf, overflowOf, setView, test } from './pages/demo-page.ts';

/** A page of each kind, and the link of the masthead that it belongs to. */
const PAGES = {
  '/playground/': 'Playground',
  '/theme/': 'Theme',
  '/proof/': 'Proof',
  '/debug/': 'Docs',
  '/docs/': 'Docs',
  '/reference/': 'Docs',
  '/reference/functions/email-verify-widget.install.html': 'Docs',
  '/dashboard/': 'Dashboard',
};

const LINKS = ['Gallery', 'Playground', 'Theme', 'Proof', 'Docs', 'Dashboard'];

const view = (page: Page) => page.locator('details.view');

test('links every page to all others, marks the current one, and can be skipped', async ({ demo, page }) => {
  test.slow();
  await eachRow(PAGES, async (current, path) => {
    await page.goto(demo.origin + path);
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    expect(await links.allTextContents()).toEqual(LINKS);
    await expect(links.and(page.locator('[aria-current]'))).toHaveText(current);
    await expect(page.getByRole('link', { name: 'Email verification', exact: true })).toHaveAttribute(
      'href',
      /^(\.\.\/)*(\/|)$/,
    );
    await page.locator('body').press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    if (path !== '/dashboard/') await expect(skip).toBeFocused();
    await skip.press('Enter');
    await expect(page.locator('#main')).toBeFocused();
  });
});

test('shows the masthead without its menu if there are no scripts', async ({
  browser,
  demo,
  page: scripted,
}) => {
  leaveOutFor('a page without scripts', scripted);
  const page = await browser.newPage({ javaScriptEnabled: false });
  for (const path of ['/playground/', '/docs/', '/reference/']) {
    await page.goto(demo.origin + path);
    await expect(page.getByRole('navigation', { name: 'Pages' })).toBeVisible();
    await expect(view(page)).toBeHidden();
  }
  await page.close();
});

test('keeps the chosen colours on the next page, from its first moment', async ({ demo, page }) => {
  // Runs in each page before its own scripts. Records the scheme when the body begins.
  await page.addInitScript(() => {
    new MutationObserver((_changes, observer) => {
      if (!document.body) return;
      Reflect.set(window, 'atFirst', document.documentElement.dataset.scheme);
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.goto(`${demo.origin}/docs/`);
  const background = () => page.locator(':root').evaluate((root) => getComputedStyle(root).backgroundColor);
  const light = await background();
  await setView(page, 'Colours', 'dark');
  const dark = await background();
  expect(dark).not.toBe(light);
  for (const path of ['/docs/', '/reference/', '/theme/']) {
    await page.goto(demo.origin + path);
    expect(await page.evaluate('atFirst'), path).toBe('dark');
    expect(await background(), path).toBe(dark);
    await expect(view(page).locator('summary')).toHaveText('View: dark');
  }
  // The sign-in has no scripts.
  await page.goto(`${demo.origin}/login`);
  expect(await background()).toBe(dark);
  await page.goto(`${demo.origin}/docs/`);
  await setView(page, 'Colours', '');
  await page.goto(`${demo.origin}/login`);
  expect(await background()).toBe(light);
  await page.goto(`${demo.origin}/theme/`);
  // Settings that only the demo has do not reach the documentation.
  await setView(page, 'Large text', true);
  await page.goto(`${demo.origin}/reference/`);
  await expect(page.locator(':root')).not.toHaveCSS('font-size', '32px');
});

const WAYS: Record<string, (page: Page) => Promise<void>> = {
  'by Escape': async (page) => {
    await page.keyboard.press('Escape');
    await expect(view(page).locator('summary')).toBeFocused();
  },
  'by a press elsewhere': (page) => page.getByRole('heading', { level: 1 }).click(),
  'by a press in a frame': (page) => page.frameLocator('iframe').getByLabel('Email address').click(),
  'when the focus leaves it': async (page) => {
    await page.getByLabel('Forced colours').focus();
    await page.keyboard.press('Tab');
  },
};

test('closes the View disclosure', async ({ demo, page }) => {
  await page.goto(`${demo.origin}/playground/`);
  await eachRow(WAYS, async (close) => {
    await view(page).locator('summary').click();
    await expect(page.getByLabel('Large text')).toBeVisible();
    await close(page);
    await expect(page.getByLabel('Large text')).toBeHidden();
  });
});

for (const width of [1_280, 320]) {
  test(`makes the open View disclosure accessible, ${width} px wide`, async ({ demo, page }) => {
    test.slow();
    await page.setViewportSize({ width, height: 800 });
    for (const path of ['/debug/', '/docs/']) {
      await page.goto(demo.origin + path);
      await view(page).locator('summary').click();
      for (const scheme of ['light', 'dark']) {
        await view(page).getByRole('combobox', { name: 'Colours' }).selectOption(scheme);
        expect(await faultsOf(page), `${path} ${scheme}`).toEqual([]);
        expect(await overflowOf(page), `${path} ${scheme}`).toBe(0);
      }
    }
  });
}
