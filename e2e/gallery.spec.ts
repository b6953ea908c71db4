/** The demo's gallery: every state of the widget, live, and the settings for all fields. */
import type { Page } from '@playwright/test';
import de from '../src/locales/de.ts';
import fr from '../src/locales/fr.ts';
import { LOCALES } from '../src/locales/page/every-language.ts';
import { DEFAULTS } from '../src/widget/options.ts';
import {
  expect,
  expectNobodyLeftOut,
  expectNoCollision,
  faultsOf,
  frameOf,
  setView,
  test,
  weightOf,
} from './pages/demo-page.ts';
import { expectTargets } from './pages/targets.ts';

const { messages } = DEFAULTS;
const NONE = '';
const suggested = (address: string) => messages.didYouMean.replace('[EMAIL]', address);

type Specimen = readonly [name: string, state: string | null, message: unknown];

/** By the frames' titles: each field's attribute, and the text that the visitor reads. */
const STATES: Record<string, readonly Specimen[]> = {
  Suggestion: [
    ['Rejected', 'rejected', suggested('julia@gmail.com')],
    ['Accepted', 'accepted', suggested('ann@gmail.com')],
    [
      'A long suggestion',
      'accepted',
      suggested('maria-magdalena.von-und-zu-liechtenstein.kanzlei@hotmail.com'),
    ],
  ],
  Rejected: [
    ['No such mailbox', 'rejected', messages.invalid],
    ['Not an address', 'rejected', messages.invalid],
    ['Disposable', 'rejected', messages.disposable],
    ['Role', 'rejected', messages.role],
    ['Free', 'rejected', messages.free],
    ['Risky', 'rejected', messages.invalid],
    ['Unknown', 'rejected', messages.invalid],
    ['One of several', 'rejected', `undeliverable@example.com: ${messages.invalid}`],
    ['A long message', 'rejected', expect.stringContaining('Adressenschreibweise')],
  ],
  Checking: [
    ['Verifying', 'verifying', messages.verifying],
    ['Waiting', 'waiting', NONE],
    ['Nothing known', null, NONE],
  ],
  Accepted: [
    ['Accepted', 'accepted', NONE],
    ['Unknown', 'accepted', NONE],
    ['Hint: role', 'accepted', messages.role],
    ['Hint: free', 'accepted', messages.free],
    ['Hint: disposable', 'accepted', messages.disposable],
  ],
  'Rate limited': [['Blocked', 'error', messages.rateLimited]],
  'Service trouble': [
    ['Rate limited', 'error', NONE],
    ['Too slow', 'error', NONE],
    ['Unreachable', 'error', NONE],
    ['Maintenance', 'error', NONE],
    ['No captcha', 'error', NONE],
    ['Captcha refused', 'error', NONE],
    ['Key refused', 'error', NONE],
  ],
};

/** The events' details that the page gets, by the specimens' names. */
const TOLD: Record<string, RegExp> = {
  'Rate limited': /^error 429: Rate Limit Exceeded$/,
  'Too slow': /^error 249: \w/,
  Unreachable: /^error 0: No connection, or refused\./,
  Maintenance: /^error 503: \w/,
  'No captcha': /^error 0: No captcha token\./,
  'Captcha refused': /^error 403: .*captcha/i,
  'Key refused': /^error 403: .*key/i,
};

/** High enough to show all fields at once. */
const WHOLE = { width: 1_200, height: 4_600 };

/** Waits until every field has come to its state. */
async function expectEveryState(
  page: Page,
  groups = Object.keys(STATES),
  placements = ['Floating', 'In the flow'],
): Promise<void> {
  for (const title of groups) {
    const frame = await frameOf(page, title);
    for (const placement of placements) {
      const expected = STATES[title]!.map(([name, state, message]) => [
        `${name} ${placement}`,
        state,
        message,
      ]);
      await expect.poll(() => frame.getByLabel(placement).evaluateAll(whatIsShown)).toEqual(expected);
    }
  }
}

/** Runs inside the page: the names of inputs, their states, and the texts that describe them. */
function whatIsShown(inputs: Element[]): unknown[] {
  const textOf = (id: string) => {
    const element = document.getElementById(id);
    return (element?.shadowRoot ?? element)?.textContent ?? '';
  };
  const textsOf = (input: Element, attribute: string) =>
    (input.getAttribute(attribute) ?? '').split(' ').map(textOf).join(' ').trim();
  return inputs.map((input) => [
    textsOf(input, 'aria-labelledby'),
    input.getAttribute('data-email-verify'),
    textsOf(input, 'aria-describedby'),
  ]);
}

test('shows every state, and covers no field in any language or size', async ({ demo, page }) => {
  test.slow();
  await page.setViewportSize(WHOLE);
  await page.goto(`${demo.origin}/gallery/`);
  await expectEveryState(page);
  const troubles = await frameOf(page, 'Service trouble');
  for (const [name, told] of Object.entries(TOLD)) {
    await expect(troubles.getByRole('region', { name }).locator('.told')).toHaveText(told);
  }
  expect(await weightOf(page), 'bytes for the page and all its frames').toBeLessThan(100_000);

  await expectNoCollision(page, 'English');
  const rejected = (await frameOf(page, 'Rejected')).getByRole('region', { name: 'No such mailbox' });
  for (const [name, texts] of Object.entries(LOCALES)) {
    await setView(page, 'Widget language', name);
    await expect(rejected.getByRole('status').first()).toHaveText(texts.invalid);
    await expectNoCollision(page, name);
  }
  await setView(page, 'Widget language', 'de');
  await setView(page, '320 px', true);
  await page.setViewportSize({ width: 1_200, height: 5_600 });
  await expectNoCollision(page, 'German, 320 px');
  await setView(page, '320 px', false);
  await setView(page, 'Large text', true);
  await page.setViewportSize({ width: 1_200, height: 10_000 });
  await expectNoCollision(page, 'German, large');
});

/** Runs inside the page. Returns the texts of headings and labels under a message. */
function coveredTexts(statuses: Element[]): string[] {
  const boxes = statuses.flatMap((status) =>
    [...(status.shadowRoot?.querySelectorAll('[part]') ?? [])].map((part) => part.getBoundingClientRect()),
  );
  return [...document.querySelectorAll('h2, label')]
    .filter((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      const { top, bottom, left, right } = range.getBoundingClientRect();
      return boxes.some(
        (box) =>
          box.height > 0 && box.bottom > top && box.top < bottom && box.right > left && box.left < right,
      );
    })
    .map(({ textContent }) => textContent ?? '');
}

test('covers no heading and no label with a message, on a phone', async ({ demo, browser }) => {
  const phone = { viewport: { width: 320, height: 5_200 }, hasTouch: true };
  await using context = await browser.newContext(phone);
  const page = await context.newPage();
  await page.goto(`${demo.origin}/gallery/`);
  const groups = ['Suggestion', 'Rejected'];
  await expectEveryState(page, groups, ['Floating']);
  for (const group of groups) {
    const statuses = (await frameOf(page, group)).locator('.email-verify-status');
    await expect.poll(() => statuses.evaluateAll(coveredTexts), group).toEqual([]);
  }
});

test('applies each setting to every field, and to the next page', async ({ demo, page }) => {
  test.slow();
  await page.goto(`${demo.origin}/gallery/`);
  const frame = await frameOf(page, 'Checking');
  const verifying = frame.getByRole('region', { name: 'Verifying' });
  const status = frame.locator('.email-verify-floating').first();
  await expect(status).toHaveText(messages.verifying);
  const root = (property: string) =>
    frame
      .locator(':root')
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

  await setView(page, 'Colours', 'dark');
  await expect.poll(() => root('color-scheme')).toBe('dark');
  await setView(page, 'Widget direction', 'rtl');
  await expect.poll(() => root('direction')).toBe('rtl');
  await expect(page.locator('html')).toHaveCSS('direction', 'ltr');
  await setView(page, '320 px', true);
  await expect.poll(() => frame.evaluate('innerWidth')).toBe(320);
  await setView(page, 'Large text', true);
  await expect.poll(() => root('font-size')).toBe('32px');
  await setView(page, 'Forced colours', true);
  const box = status.locator('[part=status]');
  await expect(box).toHaveCSS('background-color', 'rgb(0, 0, 0)');
  await expect(box).toHaveCSS('border-block-end-color', 'rgb(63, 242, 63)');
  const view = page.locator('details.view > summary');
  await expect(view).toHaveText('View: dark, right to left, 320 px, large text, forced colours');
  await view.click();
  await expect(page.getByText('These forced colours are an imitation')).toBeVisible();
  await view.click();
  await setView(page, 'Widget language', 'de');
  await expect(status).toHaveText(de.verifying);
  // A language sets its direction too.
  await expect.poll(() => root('direction')).toBe('ltr');

  const placements = page.getByRole('group', { name: 'Placement' });
  await placements.getByLabel('In the flow').check();
  await expect(verifying.getByLabel('Floating')).toBeHidden();
  await expect(box).toBeHidden();
  await placements.getByLabel('Floating').check();
  await expect(verifying.getByLabel('In the flow')).toBeHidden();
  await expect(verifying.getByLabel('Floating')).toBeVisible();

  await page.getByRole('link', { name: 'Theme', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Theme' })).toBeVisible();
  await expect(view).toHaveText('View: dark, widget in Deutsch, 320 px, large text, forced colours');
  await view.click();
  await expect(page.getByRole('combobox', { name: 'Colours' })).toHaveValue('dark');
  await expect(page.getByLabel('Widget language')).toHaveValue('de');
  await expect(page.getByLabel('Large text')).toBeChecked();
});

test('keeps its texts if those of a language do not load, and still loads others', async ({ demo, page }) => {
  await page.goto(`${demo.origin}/gallery/`);
  const frame = await frameOf(page, 'Checking');
  const status = frame.locator('.email-verify-floating').first();
  await expect(status).toHaveText(messages.verifying);
  await page.route('**/locales/de.mjs', (route) => route.abort('connectionrefused'));
  const told = page.waitForEvent('console', (message) => message.text().startsWith('The texts in de'));
  await setView(page, 'Widget language', 'de');
  await told;
  await expect(status).toHaveText(messages.verifying);
  await setView(page, 'Widget language', 'fr');
  await expect(status).toHaveText(fr.verifying);
});

test('works without storage', async ({ demo, page }) => {
  test.slow();
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException('blocked', 'SecurityError');
    };
    Object.defineProperty(window, 'localStorage', { get: refuse });
  });
  await page.goto(`${demo.origin}/gallery/`);
  const frame = await frameOf(page, 'Checking');
  await setView(page, 'Colours', 'dark');
  await expect(frame.locator(':root')).toHaveCSS('color-scheme', 'dark');
  await expectEveryState(page, ['Checking']);
});

test('shows one placement at a time in a narrow window, and both in a wide one', async ({ demo, page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${demo.origin}/gallery/`);
  const frame = page.frameLocator('iframe[title="Suggestion"]');
  const placements = page.getByRole('group', { name: 'Placement' });
  const expectShown = async (...shown: string[]) => {
    for (const name of ['Floating', 'In the flow'])
      await expect(frame.getByLabel(name).first()).toBeVisible({ visible: shown.includes(name) });
  };
  await expect(placements.getByLabel('Both')).toBeHidden();
  await expect(placements.getByLabel('Floating')).toBeChecked();
  await expectShown('Floating');
  await setView(page, 'Colours', 'dark');
  await expectShown('Floating');
  await placements.getByLabel('In the flow').check();
  await expectShown('In the flow');
  await page.reload();
  await expectShown('In the flow');

  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await expectShown('Floating');
  await page.setViewportSize({ width: 1_200, height: 800 });
  await expectShown('Floating', 'In the flow');
  await expect(placements.getByLabel('Both')).toBeChecked();
});

test('lets the keyboard reach every setting and field, and a field responds', async ({ demo, page }) => {
  test.slow();
  await page.goto(`${demo.origin}/gallery/`);
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('radio', { name: 'Both' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'Floating' })).toBeChecked();

  const view = page.locator('details.view');
  await view.locator('summary').focus();
  await page.keyboard.press('Enter');
  const large = page.getByLabel('Large text');
  await large.focus();
  await page.keyboard.press('Space');
  await expect(page.locator(':root')).toHaveCSS('font-size', '32px');
  await page.keyboard.press('Space');
  await page.keyboard.press('Escape');
  await expect(view).not.toHaveAttribute('open');
  await expect(view.locator('summary')).toBeFocused();

  const frame = await frameOf(page, 'Checking');
  const field = frame.getByRole('region', { name: 'Nothing known' }).getByLabel('Floating');
  await field.focus();
  await page.keyboard.type('disposable@example.com');
  await page.keyboard.press('Tab');
  await expect(field).toHaveAttribute('data-email-verify', 'rejected');
  await expect(frame.getByText(messages.disposable)).toBeVisible();
});

test('passes axe in each colour scheme, fits a phone, has no small targets', async ({ demo, page }) => {
  test.slow();
  await page.setViewportSize({ width: 320, height: 11_000 });
  await page.goto(`${demo.origin}/gallery/`);
  await expectEveryState(page);
  await expectNobodyLeftOut(page);
  await expectTargets(page, page.frames());
  await setView(page, 'Large text', false);
  await setView(page, 'Forced colours', true);
  const forced = [page.mainFrame(), await frameOf(page, 'Rejected')];
  expect(await faultsOf(page, forced)).toEqual([]);
});
