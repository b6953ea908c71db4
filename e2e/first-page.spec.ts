/** The demo's first page: the form, the parts around it, and its accessibility. */
import type { Page } from '@playwright/test';
import ar from '../src/locales/ar.ts';
import { DEFAULTS } from '../src/widget/options.ts';
import { leaveOutFor, wish } from './engines/differences.ts';
import {
  expect,
  expectNobodyLeftOut,
  faultsOf,
  overflowOf,
  setView,
  stopClock,
  test,
  weightOf,
} from './pages/demo-page.ts';

const { messages } = DEFAULTS;
const TYPO = 'julia@gmial.com';

const inputOf = (page: Page) => page.getByLabel('Email address');
const statusOf = (page: Page) => page.locator('.email-verify-status');

/** Opens the page, and waits until it has typed the address. */
async function openTyped(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/`);
  await expect(statusOf(page)).toHaveText(/^Did you mean/);
}

test('shows the address at once to visitors who want less motion', async ({ demo, page }) => {
  await wish(page, { reducedMotion: 'reduce' });
  const seen: string[] = [];
  await page.exposeFunction('see', (value: string) => seen.push(value));
  await page.addInitScript(() => {
    addEventListener('input', ({ target }) => Reflect.get(window, 'see')((target as HTMLInputElement).value));
  });
  await openTyped(page, demo.origin);
  expect(seen).toEqual([TYPO]);
  await page.getByRole('button', { name: 'Play again' }).click();
  await expect.poll(() => seen).toEqual([TYPO, TYPO]);
});

test('says no more that it types once it has, even if the service is slow', async ({ demo, page }) => {
  await page.route('**/v1/verify?*', () => {});
  await stopClock(page);
  await page.goto(demo.origin);
  const told = page.locator('#told');
  await expect(told).toHaveText('This page types an address with a typo…');
  await page.clock.runFor(3_000);
  await expect(page.getByLabel('Email address')).toHaveAttribute('data-email-verify', 'verifying');
  expect(await told.textContent()).toBe('');
  await page.clock.runFor(5_000);
  await expect(told).toHaveText('No response. The form can be submitted.');
});

test('types nothing into a form that a visitor has used, by key or by button', async ({ demo, page }) => {
  await stopClock(page);
  await page.goto(`${demo.origin}/`);
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await inputOf(page).focus();
  await page.clock.runFor(5_000);
  await expect(inputOf(page)).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Play again' })).toBeVisible();
  await expect(statusOf(page)).toHaveText('');

  await page.goto(`${demo.origin}/`);
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.getByRole('button', { name: 'Sign up' }).focus();
  await page.clock.runFor(5_000);
  await expect(inputOf(page)).toHaveValue('');
});

test('types no address in a hidden tab, and has it when the visitor comes back', async ({ demo, page }) => {
  await page.goto(`${demo.origin}/`);
  await expect(inputOf(page)).toHaveValue(/^j/);
  // It is there when the event ends, before a timer can type more.
  const value = await inputOf(page).evaluate((input: HTMLInputElement) => {
    Object.defineProperty(document, 'hidden', { value: true });
    document.dispatchEvent(new Event('visibilitychange'));
    return input.value;
  });
  expect(value).toBe(TYPO);
});

test('types each button’s address, and shows the outcome in widget and sentence', async ({ demo, page }) => {
  test.slow();
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openTyped(page, demo.origin);
  const addresses = page.getByRole('group', { name: 'Try an address' });
  const CHIPS: Record<string, [address: string, message: string, told: string]> = {
    'does not exist': ['undeliverable@example.com', messages.invalid, 'Rejected. The form cannot'],
    throwaway: ['disposable@example.com', messages.disposable, 'Rejected. The form cannot'],
    'shared mailbox': ['role@example.com', messages.role, 'Accepted with a hint. The form can be'],
    'slow service': ['slow@example.com', messages.verifying, 'The service gave no result in time. The form'],
    mistyped: [TYPO, 'Did you mean julia@gmail.com?', 'This address looks mistyped.'],
  };
  await expect(addresses.getByRole('button')).toHaveCount(Object.keys(CHIPS).length);
  for (const [name, [address, message, told]] of Object.entries(CHIPS)) {
    await addresses.getByRole('button', { name }).click();
    await expect(inputOf(page)).toHaveValue(address);
    await expect(statusOf(page)).toHaveText(message);
    await expect(page.locator('#told')).toContainText(told);
    await expect(addresses.getByRole('button', { name })).toBeFocused();
  }
});

test('shows working code with the URL of this demo, and confirms a copy', async ({ demo, page }) => {
  await page.addInitScript(() => {
    const writeText = async (text: string) => Reflect.set(window, 'copied', text);
    Object.defineProperty(navigator, 'clipboard', { value: { writeText } });
  });
  await page.goto(`${demo.origin}/`);
  await page.getByRole('button', { name: 'Copy the script tag' }).click();
  await expect(page.locator('#tag-copied')).toHaveText('Copied.');
  const tag = `<script async src="${demo.origin}/v2/"\n  data-api-key="test_public_demo"></script>`;
  expect(await page.evaluate('copied')).toBe(tag);

  await page.getByRole('button', { name: 'Copy the command' }).click();
  await expect(page.locator('#call-copied')).toHaveText('Copied.');
  await expect(page.locator('#tag-copied')).toHaveText('');
  const [, credential = '', url = ''] =
    /^curl -H 'Authorization: (.*)' \\\n {2}'(.*)'$/.exec(await page.evaluate('copied')) ?? [];
  const response = await fetch(url, { headers: { authorization: credential } });
  expect(await response.json()).toMatchObject({ email: 'role@example.com', role: true });
});

test('shows the form without scrolling, on a desktop and on phones', async ({ demo, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [width, height] of [
    [1_280, 720],
    [390, 664],
    [320, 568],
  ] as const) {
    await page.setViewportSize({ width, height });
    await openTyped(page, demo.origin);
    await expect(page.getByRole('button', { name: 'Sign up' })).toBeInViewport({ ratio: 1 });
    await expect(statusOf(page).locator('[part=status]')).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('heading', { level: 1 })).toBeInViewport({ ratio: 1 });
  }
});

test('leads to the playground, the dashboard, the documentation and the gallery', async ({ demo, page }) => {
  await page.goto(`${demo.origin}/`);
  const main = page.getByRole('main');
  for (const [link, path] of [
    ['Open the playground', '/playground/'],
    ['Open the dashboard', '/dashboard/batches/new'],
    ['Read the API documentation', '/docs/api/'],
    ['gallery', '/gallery/'],
    ['theme page', '/theme/'],
  ] as const) {
    const url = await main
      .getByRole('link', { name: link, exact: true })
      .evaluate((each: HTMLAnchorElement) => each.href);
    const response = await fetch(url);
    expect([link, response.status, new URL(response.url).pathname]).toEqual([link, 200, path]);
  }
});

test('reports that the widget could not be loaded', async ({ demo, page }) => {
  await page.route('**/v2/', (route) => route.abort('connectionrefused'));
  await page.goto(`${demo.origin}/`);
  await expect(page.getByText('The widget could not be loaded. Reload the page.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Play again' })).toBeHidden();
});

test('is readable and usable without scripts', async ({ browser, demo, page: scripted }) => {
  leaveOutFor('a page without scripts', scripted);
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${demo.origin}/`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(inputOf(page)).toBeVisible();
  await expect(page.getByRole('button')).toHaveText(['Sign up']);
  await page.close();
});

test('shows the widget in Arabic by keyboard, and turns its form, not the page', async ({ demo, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await openTyped(page, demo.origin);
  const before = await page.getByRole('heading', { level: 1 }).boundingBox();
  const view = page.locator('details.view > summary');
  await view.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('combobox', { name: 'Widget language' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('combobox', { name: 'Widget direction' })).toHaveValue('rtl');
  await page.keyboard.press('Escape');
  await expect(view).toBeFocused();
  await expect(view).toHaveText('View: widget in العربية, right to left');

  await expect(page.locator('html')).toHaveCSS('direction', 'ltr');
  expect(await page.getByRole('heading', { level: 1 }).boundingBox()).toEqual(before);
  await expect(inputOf(page)).toHaveCSS('direction', 'rtl');
  await page.getByRole('button', { name: 'does not exist' }).press('Enter');
  await expect(statusOf(page)).toHaveText(ar.invalid);
  await expect(statusOf(page).locator('[part=status]')).toHaveCSS('direction', 'rtl');
  // The next page shows it from the beginning.
  await page.reload();
  await expect(inputOf(page)).toHaveCSS('direction', 'rtl');
});

test('passes axe in any colours and direction, and fits a phone', async ({ demo, page }) => {
  test.slow();
  await page.setViewportSize({ width: 320, height: 900 });
  await openTyped(page, demo.origin);
  expect(await weightOf(page), 'bytes for the page').toBeLessThan(60_000);
  await expectNobodyLeftOut(page);
  await setView(page, 'Large text', false);
  await setView(page, 'Widget direction', 'rtl');
  await expect.poll(() => faultsOf(page)).toEqual([]);
  expect(await overflowOf(page)).toBe(0);
  await wish(page, { forcedColors: 'active' });
  expect(await faultsOf(page)).toEqual([]);
});
