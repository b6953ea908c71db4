/** The status at the input, as visitors see it and as assistive technology reads it. */

import type { Locator } from '@playwright/test';
import {
  dataAttributes,
  deliverable,
  expect,
  FORM,
  MEANT,
  MISSPELT,
  NO,
  PATIENT,
  TEXTS,
  test,
  undeliverable,
} from './fixtures.ts';
import { WidgetPage } from './pages/widget-page.ts';

/** The box around everything visible in an element and its shadow tree. */
async function boxOf(
  element: Locator,
): Promise<{ left: number; top: number; right: number; bottom: number }> {
  return element.evaluate((host) => {
    const boxes: DOMRect[] = [];
    const collect = (parent: Element | ShadowRoot) => {
      if (parent instanceof Element) boxes.push(parent.getBoundingClientRect());
      if (parent instanceof Element && parent.shadowRoot) collect(parent.shadowRoot);
      for (const child of parent.children) collect(child);
    };
    collect(host);
    const shown = boxes.filter((box) => box.width > 0 && box.height > 0);
    return {
      left: Math.min(...shown.map((box) => box.left)),
      top: Math.min(...shown.map((box) => box.top)),
      right: Math.max(...shown.map((box) => box.right)),
      bottom: Math.max(...shown.map((box) => box.bottom)),
    };
  });
}

/** Whether any part of an element, its shadow tree included, is painted in a colour. */
async function isPaintedIn(element: Locator, color: string): Promise<boolean> {
  return element.evaluate((host, wanted) => {
    const painted = (parent: Element | ShadowRoot): boolean => {
      if (parent instanceof Element) {
        const style = getComputedStyle(parent);
        const values = [
          'color',
          'background-color',
          'background-image',
          'border-top-color',
          'stroke',
          'fill',
        ];
        if (values.some((property) => style.getPropertyValue(property).includes(wanted))) return true;
        if (parent.shadowRoot && painted(parent.shadowRoot)) return true;
      }
      return [...parent.children].some(painted);
    };
    return painted(host);
  }, color);
}

test.describe('in body, the default', () => {
  test('floats at the input while the page scrolls, or gets content above', async ({ page, widgetPage }) => {
    await widgetPage.open(`<div id="above"></div>${FORM}<div style="height: 3000px"></div>`, {
      clock: 'real',
    });
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    const offset = async () => {
      const status = await boxOf(widgetPage.status);
      const input = (await widgetPage.email.boundingBox())!;
      return { x: status.left - input.x, y: status.top - input.y };
    };
    // The box gets its place in the frame after its text.
    const box = widgetPage.status.locator('[part=status]');
    await expect.poll(() => box.evaluate(({ style }: HTMLElement) => style.translate)).toBeTruthy();
    await expect.poll(async () => Math.abs((await offset()).y)).toBeLessThan(80);
    const before = await offset();
    expect(Math.abs(before.x)).toBeLessThan(300);
    await page.evaluate(() => {
      document.getElementById('above')!.style.height = '120px';
      scrollTo(0, 50);
    });
    await expect
      .poll(async () => {
        const now = await offset();
        return Math.hypot(now.x - before.x, now.y - before.y);
      })
      .toBeLessThanOrEqual(1);
  });

  test('hides with its input', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'real' });
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    const { left, top, right, bottom } = await boxOf(widgetPage.status);
    expect(right - left).toBeGreaterThan(20);
    expect(bottom - top).toBeGreaterThan(5);
    await page.evaluate(() => {
      document.getElementById('form')!.style.display = 'none';
    });
    await expect
      .poll(() =>
        widgetPage.status.evaluate(
          (host) =>
            host.isConnected &&
            [host, ...(host.shadowRoot?.querySelectorAll('*') ?? [])].some(
              (element) =>
                element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
                element.getBoundingClientRect().height > 0,
            ),
        ),
      )
      .toBe(false);
  });
});

test('puts the text into the flow of the element of statusAppendTo', async ({ page, widgetPage }) => {
  await widgetPage.open(`${FORM}<div id="slot"></div>`, {
    after: `emailVerify('statusAppendTo', document.getElementById('slot'));`,
  });
  await widgetPage.enter(NO);
  const status = page.locator('#slot > .email-verify-status');
  await expect(status).toHaveText(TEXTS.invalid);
  const inner = await boxOf(status);
  const slot = (await page.locator('#slot').boundingBox())!;
  expect(inner.top).toBeGreaterThanOrEqual(slot.y - 1);
  expect(inner.bottom).toBeLessThanOrEqual(slot.y + slot.height + 1);
  expect(slot.height).toBeGreaterThan(5);
  expect(await widgetPage.accessibility(widgetPage.email)).toMatchObject({ description: TEXTS.invalid });
});

test('shows the message and a spinner in the style’s colour while verifying', async ({ widgetPage }) => {
  widgetPage.service.hold();
  await widgetPage.open(FORM, {
    options: { ...PATIENT.options, style: { loadingIconColor: 'rgb(1, 200, 3)' } },
  });
  await widgetPage.enterAndRead(NO, TEXTS.verifying);
  expect(await isPaintedIn(widgetPage.status, 'rgb(1, 200, 3)')).toBe(true);
  await widgetPage.service.nextRequest();
  widgetPage.service.release();
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  await expect.poll(() => isPaintedIn(widgetPage.status, 'rgb(1, 200, 3)')).toBe(false);
});

test.describe('the suggestion', () => {
  for (const way of ['a click', 'Enter', 'Space'] as const) {
    test(`is used by ${way}, as if the visitor had typed it, and verified`, async ({ page, widgetPage }) => {
      await widgetPage.open(FORM, {
        after: `window.heard = [];
          ['input', 'change'].forEach(function (type) {
            document.addEventListener(type, function (event) { heard.push(type + ' ' + event.target.value) });
          });`,
      });
      await widgetPage.enter(MISSPELT);
      const suggestion = widgetPage.status.getByRole('button');
      await expect(suggestion).toBeVisible();
      await page.evaluate('heard.length = 0');
      if (way === 'a click') await suggestion.click();
      else await suggestion.press(way);
      await expect(widgetPage.email).toHaveValue(MEANT);
      await widgetPage.expectState('accepted');
      expect(await page.evaluate('heard')).toEqual([`input ${MEANT}`, `change ${MEANT}`]);
      expect(widgetPage.service.asked).toEqual([MISSPELT, MEANT]);
      await widgetPage.expectCustomValidity('');
      await expect(widgetPage.status).toHaveText('');
    });
  }

  test('can be reached with the Tab key', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter(MISSPELT);
    await expect(widgetPage.status.getByRole('button')).toBeVisible();
    const focused = () =>
      page.evaluate(() => {
        const active = document.activeElement;
        return active?.shadowRoot?.activeElement?.textContent ?? active?.textContent ?? '';
      });
    const stops: string[] = [];
    for (let presses = 0; presses < 8 && !stops.includes(MEANT); presses++) {
      await page.keyboard.press('Tab');
      stops.push(await focused());
    }
    expect(stops).toContain(MEANT);
  });

  test('never submits the form that it is shown in', async ({ widgetPage }) => {
    await widgetPage.open(FORM.replace('</form>', '<p id="slot"></p></form>'), {
      options: { statusAppendTo: '#slot' },
    });
    await widgetPage.enter(MISSPELT);
    await widgetPage.status.getByRole('button').click();
    await widgetPage.expectState('accepted');
    await widgetPage.expectSubmissions(0, 1_000);
  });
});

test.describe('the characters of a suggestion that differ from the typed ones', () => {
  const marked = (widgetPage: WidgetPage) => widgetPage.status.locator('[part=difference]');

  test('are marked, and the name of the button is the address only', async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter(MISSPELT);
    await expect(marked(widgetPage)).toHaveText('ai');
    await expect(widgetPage.status.getByRole('button', { name: MEANT, exact: true })).toHaveText(MEANT);
    expect((await widgetPage.accessibility(widgetPage.status.getByRole('button'))).name).toBe(MEANT);
  });

  test('are not marked if characters are only left out', async ({ service, widgetPage }) => {
    service.answer('joe@gmaill.com', undeliverable({ did_you_mean: MEANT }));
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@gmaill.com');
    await expect(widgetPage.status.getByRole('button')).toHaveText(MEANT);
    await expect(marked(widgetPage)).toHaveCount(0);
  });

  test('belong to the address of the message in a list', async ({ service, widgetPage }) => {
    service.answer('ann@example.com', deliverable());
    await widgetPage.open(FORM.replace('type="email"', 'type="email" multiple'));
    await widgetPage.enter(`ann@example.com, ${MISSPELT}`);
    await expect(widgetPage.status).toHaveText(`${MISSPELT}: Did you mean ${MEANT}?`);
    await expect(marked(widgetPage)).toHaveText('ai');
  });
});

test.describe('Escape', () => {
  const seen = (widgetPage: WidgetPage) =>
    widgetPage.status
      .locator('[part=status]')
      .evaluate((box) => box.checkVisibility() && getComputedStyle(box).clipPath === 'none');

  for (const where of ['the input', 'the suggestion'] as const) {
    test(`in ${where} closes a message until the next, not for screen readers`, async ({ widgetPage }) => {
      await widgetPage.open(FORM, { clock: 'real', options: { verifyAfterDelay: 0 } });
      await widgetPage.email.fill(MISSPELT);
      await expect(widgetPage.status.getByRole('button')).toBeVisible();
      if (where === 'the suggestion') await widgetPage.page.keyboard.press('Tab');
      await widgetPage.page.keyboard.press('Escape');
      await expect(widgetPage.email).toBeFocused();
      expect(await seen(widgetPage)).toBe(false);
      // It stays closed while the message is the same, and the Tab key skips it.
      await widgetPage.call('allow', { free: true });
      expect(await seen(widgetPage)).toBe(false);
      expect((await widgetPage.accessibility(widgetPage.email)).description).toContain(MEANT);
      await widgetPage.page.keyboard.press('Tab');
      await expect(widgetPage.note).toBeFocused();
      await widgetPage.email.fill(NO);
      await expect(widgetPage.status).toHaveText(TEXTS.invalid);
      await expect.poll(() => seen(widgetPage)).toBe(true);
    });
  }

  test('closes the message first and the dialog next', async ({ page, widgetPage }) => {
    await widgetPage.open(`<dialog id="dialog">${FORM}</dialog>`, {
      clock: 'real',
      options: { verifyAfterDelay: 0 },
    });
    await page.evaluate('dialog.showModal()');
    const isOpen = () => page.evaluate('dialog.open');
    await widgetPage.email.fill(NO);
    await expect(widgetPage.status).toHaveText(TEXTS.invalid);
    await page.keyboard.press('Escape');
    expect(await seen(widgetPage)).toBe(false);
    expect(await isOpen()).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(isOpen).toBe(false);
  });

  test('is left to the page elsewhere, and while nothing is shown', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, {
      clock: 'real',
      options: { verifyAfterDelay: 0 },
      after: `window.escapes = 0;
        document.addEventListener('keydown', function (event) {
          if (event.key === 'Escape' && !event.defaultPrevented) escapes++;
        });`,
    });
    const escapes = () => page.evaluate('escapes');
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.expectState('accepted');
    await page.keyboard.press('Escape');
    expect(await escapes()).toBe(1);
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    await page.keyboard.press('Escape');
    expect(await escapes()).toBe(2);
    await expect.poll(() => seen(widgetPage)).toBe(true);
    await widgetPage.email.focus();
    await page.keyboard.press('Escape');
    expect(await escapes()).toBe(2);
  });
});

test.describe('the Tab key', () => {
  const open = async (widgetPage: WidgetPage) => {
    await widgetPage.open(`<a id="first" href="#">First</a>${FORM}<input id="last">`, { clock: 'real' });
    await widgetPage.enter(MISSPELT);
    const suggestion = widgetPage.status.getByRole('button');
    await expect(suggestion).toBeVisible();
    return suggestion;
  };

  test('backwards focuses the suggestion first, then the input', async ({ page, widgetPage }) => {
    const suggestion = await open(widgetPage);
    await expect(widgetPage.note).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(suggestion).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(widgetPage.email).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(page.locator('#first')).toBeFocused();
  });

  test('backwards elsewhere moves no focus of a later click to the suggestion', async ({ widgetPage }) => {
    await open(widgetPage);
    await widgetPage.page.locator('#last').focus();
    await widgetPage.page.keyboard.press('Shift+Tab');
    await expect(widgetPage.page.locator('#send')).toBeFocused();
    await widgetPage.email.click();
    await expect(widgetPage.email).toBeFocused();
  });

  test('leads out of the page at its end, not back to the suggestion', async ({ page, widgetPage }) => {
    const suggestion = await open(widgetPage);
    await page.locator('#last').focus();
    await page.keyboard.press('Tab');
    await expect(suggestion).not.toBeFocused();
  });

  for (const modifier of ['Control', 'Alt', 'Meta']) {
    test(`with ${modifier} is left to the page`, async ({ page, widgetPage }) => {
      const suggestion = await open(widgetPage);
      await widgetPage.email.focus();
      await page.evaluate((name) => {
        const init = { key: 'Tab', bubbles: true, cancelable: true, composed: true };
        const key = { Control: 'ctrlKey', Alt: 'altKey', Meta: 'metaKey' }[name]!;
        const event = new KeyboardEvent('keydown', { ...init, [key]: true });
        Reflect.set(window, 'stopped', !document.activeElement!.dispatchEvent(event));
      }, modifier);
      expect(await page.evaluate('stopped')).toBe(false);
      await expect(suggestion).not.toBeFocused();
    });
  }
});

test('shows no empty box on a page that displays every part as flex', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM, {
    clock: 'real',
    ...PATIENT,
    head: '<style>.email-verify-status::part(status) { display: flex }</style>',
  });
  const isThere = () =>
    widgetPage.status.evaluate((host) => Boolean(host.shadowRoot!.querySelector('[part=status]')));
  await widgetPage.email.focus();
  await expect(widgetPage.status).toHaveCount(1);
  expect(await isThere()).toBe(false);
  service.hold();
  await widgetPage.enterAndRead('joe@example.com', TEXTS.verifying);
  await service.nextRequest();
  await widgetPage.release('accepted');
  expect(await isThere()).toBe(false);
  await widgetPage.enterAndRead(NO, TEXTS.invalid);
  await widgetPage.page.evaluate('form.hidden = true');
  await expect
    .poll(() => widgetPage.status.locator('[part=status]').evaluate((box) => box.checkVisibility()))
    .toBe(false);
});

test('shows the suggestion on a page with its own Text, Range and Event', async ({ widgetPage }) => {
  await widgetPage.open(FORM, {
    before: `['Text', 'Range', 'TreeWalker', 'NodeFilter', 'Event'].forEach(function (name) {
      window[name] = function () { throw new Error('the page’s own ' + name) };
    });`,
  });
  await widgetPage.enterAndRead(MISSPELT, `Did you mean ${MEANT}?`);
  await widgetPage.send.click();
  await widgetPage.expectSubmissions(0, 1_000);
});

test.describe('a hint and a rejection', () => {
  /** The look of a message, apart from its text and its colours. */
  const shapeOf = (widgetPage: WidgetPage) =>
    widgetPage.status.locator('[part=status]').evaluate((box) => {
      const glyph = getComputedStyle(box, '::before');
      const { borderInlineStartStyle, borderInlineStartWidth } = getComputedStyle(box);
      return { sign: glyph.content, edge: `${borderInlineStartStyle} ${borderInlineStartWidth}` };
    });

  for (const [where, options] of Object.entries({
    floating: {},
    'in the flow': { statusAppendTo: '#slot' },
  })) {
    test(`differ in more than colours, ${where}, and the sign is not read`, async ({ widgetPage }) => {
      widgetPage.service.answer('role@example.com', deliverable({ role: true }));
      await widgetPage.open(FORM.replace('</form>', '<p id="slot"></p></form>'), {
        clock: 'real',
        options: { ...options, allow: { role: 'warn' } },
      });
      await widgetPage.enterAndRead(NO, TEXTS.invalid);
      const rejection = await shapeOf(widgetPage);
      expect((await widgetPage.accessibility(widgetPage.email)).description).toBe(TEXTS.invalid);
      await widgetPage.enterAndRead('role@example.com', TEXTS.role);
      const hint = await shapeOf(widgetPage);
      expect((await widgetPage.accessibility(widgetPage.email)).description).toBe(TEXTS.role);
      expect(rejection.sign).toMatch(/^"!"/);
      expect(hint.sign).toMatch(/^"i"/);
      expect(rejection.edge).toBe('solid 3px');
      expect(hint.edge).toBe('dashed 3px');
    });
  }
});

test('fades in, unless visitors want no motion', async ({ page, widgetPage }) => {
  for (const reducedMotion of ['no-preference', 'reduce'] as const) {
    await page.emulateMedia({ reducedMotion });
    await widgetPage.open(FORM, { clock: 'real' });
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    const name = await widgetPage.status
      .locator('[part=status]')
      .evaluate((box) => getComputedStyle(box).animationName);
    expect(name).toBe(reducedMotion === 'reduce' ? 'none' : 'fade');
  }
});

test('does not print a floating status', async ({ page, widgetPage }) => {
  await widgetPage.open(FORM, { clock: 'real' });
  await widgetPage.enter(NO);
  await expect(widgetPage.status.getByText(TEXTS.invalid)).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(widgetPage.status.getByText(TEXTS.invalid)).toBeHidden();
});

test('makes the suggestion 44 pixels high for a finger', async ({ browser, service, site }) => {
  const page = await browser.newPage({
    hasTouch: true,
    isMobile: true,
    viewport: { width: 400, height: 700 },
  });
  const widgetPage = await WidgetPage.on(page, site, service);
  await widgetPage.open(FORM, { clock: 'real', head: '<meta name="viewport" content="width=device-width">' });
  await widgetPage.enter(MISSPELT);
  await expect(widgetPage.status.getByRole('button')).toBeVisible();
  expect((await widgetPage.status.getByRole('button').boundingBox())!.height).toBeGreaterThanOrEqual(44);
  await page.close();
});

test.describe('assistive technology', () => {
  const DESCRIBED = `${FORM.replace('type="email"', 'type="email" aria-describedby="hint" aria-invalid="false"')}
    <p id="hint">We never share it.</p>`;

  test("gets the message in the input's description, beside the page's own", async ({ widgetPage }) => {
    await widgetPage.open(DESCRIBED);
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    expect(await widgetPage.accessibility(widgetPage.email)).toMatchObject({
      name: 'Email',
      description: `We never share it. ${TEXTS.invalid}`,
      invalid: 'true',
    });
    expect(await widgetPage.email.getAttribute('aria-describedby')).toMatch(/^hint \S+$/);
    expect(await widgetPage.accessibility(widgetPage.status)).toMatchObject({
      ignored: false,
      role: 'status',
      live: 'polite',
    });
  });

  test('gets no message once the address is accepted', async ({ widgetPage }) => {
    await widgetPage.open(DESCRIBED);
    await widgetPage.enterRejected(NO);
    await widgetPage.enterAccepted('joe@example.com');
    expect(await widgetPage.accessibility(widgetPage.email)).toMatchObject({
      description: 'We never share it.',
      invalid: 'false',
      busy: false,
    });
    await expect(widgetPage.email).toHaveAttribute('aria-invalid', 'false');
    await expect(widgetPage.email).not.toHaveAttribute('aria-busy');
  });

  test('gets a busy input while verifying, not an invalid one', async ({ service, widgetPage }) => {
    service.hold();
    await widgetPage.open(DESCRIBED, PATIENT);
    await widgetPage.enter(NO);
    await expect(widgetPage.email).toHaveAttribute('aria-busy', 'true');
    await expect(widgetPage.email).toHaveAttribute('aria-invalid', 'false');
    expect(await widgetPage.accessibility(widgetPage.email)).toMatchObject({ busy: true, invalid: 'false' });
    await service.nextRequest();
    service.release();
    await expect(widgetPage.email).toHaveAttribute('aria-invalid', 'true');
    await expect(widgetPage.email).not.toHaveAttribute('aria-busy');
  });

  test('gets a hint in the description, and the input is not invalid', async ({ service, widgetPage }) => {
    service.answer('joe@free.example', deliverable({ free: true }));
    await widgetPage.open(FORM, { options: { allow: { free: 'warn' } } });
    await widgetPage.enterAccepted('joe@free.example');
    await expect(widgetPage.status).toHaveText(TEXTS.free);
    expect(await widgetPage.accessibility(widgetPage.email)).toMatchObject({
      description: TEXTS.free,
      invalid: 'false',
    });
  });

  test("gets the label's text as the name of the input", async ({ page, widgetPage }) => {
    await widgetPage.open(
      `<form><label id="label">Email <input id="email" type="email"></label><input id="note"></form>`,
    );
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    expect((await widgetPage.accessibility(page.locator('#email'))).name).toBe('Email');
  });
});

test.describe('in an open modal dialog', () => {
  test('is in the dialog, visible and readable for screen readers', async ({ page, widgetPage }) => {
    await widgetPage.open(`<dialog id="dialog">${FORM}</dialog>`);
    await page.evaluate(() => (document.getElementById('dialog') as HTMLDialogElement).showModal());
    await widgetPage.enter(MISSPELT);
    const status = await widgetPage.statusOf(widgetPage.email);
    await expect(status).toHaveText(`Did you mean ${MEANT}?`);
    expect(await status.evaluate((element) => element.closest('dialog')?.id)).toBe('dialog');
    expect(await widgetPage.accessibility(status)).toMatchObject({ ignored: false, role: 'status' });
    const spoken = (await widgetPage.accessibility(widgetPage.email)).description;
    expect(spoken).toMatch(/^Did you mean joe@gmail\.com ?\?$/);
    await status.getByRole('button').click();
    await expect(widgetPage.email).toHaveValue(MEANT);
  });

  test('follows an input whose dialog is opened after first use', async ({ page, widgetPage }) => {
    await widgetPage.open(`<dialog id="dialog" open>${FORM}</dialog>`);
    await widgetPage.enterAccepted('joe@example.com');
    await page.evaluate(() => {
      const dialog = document.getElementById('dialog') as HTMLDialogElement;
      dialog.close();
      dialog.showModal();
    });
    await widgetPage.enter(NO);
    const status = await widgetPage.statusOf(widgetPage.email);
    await expect(status).toHaveText(TEXTS.invalid);
    expect(await widgetPage.accessibility(status)).toMatchObject({ ignored: false, role: 'status' });
  });
});

test.describe('in a fullscreen element', () => {
  test('is visible in that element', async ({ page, widgetPage }) => {
    await widgetPage.open(`<div id="stage">${FORM}</div>`, { clock: 'real' });
    await page.evaluate(() => document.getElementById('stage')!.requestFullscreen());
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    expect(await widgetPage.status.evaluate((element) => element.parentElement!.id)).toBe('stage');
  });

  test('is in that element inside a shadow root', async ({ page, widgetPage }) => {
    await widgetPage.open('<div id="host"></div>', { clock: 'real' });
    await page.evaluate((form) => {
      const root = document.getElementById('host')!.attachShadow({ mode: 'open' });
      root.innerHTML = `<div id="stage">${form}</div>`;
      return root.getElementById('stage')!.requestFullscreen();
    }, FORM);
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    expect(await widgetPage.status.evaluate((element) => element.parentElement!.id)).toBe('stage');
  });

  test('stays in body if the whole page is fullscreen', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'real' });
    await page.evaluate(() => document.documentElement.requestFullscreen());
    await widgetPage.enterAndRead(NO, TEXTS.invalid);
    expect(await widgetPage.status.evaluate((element) => element.parentElement!.localName)).toBe('body');
  });
});

test('works under a strict policy with Trusted Types, without a violation', async ({ site, widgetPage }) => {
  const { service } = widgetPage;
  const policy =
    `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self' ${service.origin};
    form-action 'self'; require-trusted-types-for 'script'`.replaceAll(/\s+/g, ' ');
  const ready = site.script(`emailVerify('allow', { role: 'warn' });`);
  await widgetPage.openDocument(
    `<!doctype html><html lang="en"><head><title>Strict</title>
      <script src="/v2/" data-api-key="test_public_key" data-base-url="${service.origin}"
        ${dataAttributes(PATIENT.options)} data-result-field="verification"></script><script src="${ready}"></script></head><body>${FORM}</body></html>`,
    { headers: { 'content-security-policy': policy } },
  );
  service.hold();
  await widgetPage.enter(MISSPELT);
  await expect(widgetPage.status).not.toHaveText('');
  await service.nextRequest();
  service.release();
  await widgetPage.status.getByRole('button').click();
  await widgetPage.expectState('accepted');
  await widgetPage.enterRejected(NO);
  await widgetPage.enterAccepted('joe@example.com');
  await widgetPage.settle(1_000);
  expect(await widgetPage.violations()).toEqual([]);
  await widgetPage.send.click();
  await widgetPage.sent();
});
