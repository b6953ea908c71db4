/** What the widget costs a page on which no visitor has typed, and what each used input keeps. */
import type { CDPSession } from '@playwright/test';
import { expect, FORM, QUEUE_STUB, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';
import { widgetScript } from './widget-files.ts';

const emailInputs = (count: number) =>
  Array.from({ length: count }, (_, index) => `<input type="email" name="email-${index}">`);

/** Pages from one without a form to one with a form for each input. */
const PAGES: Record<string, (count: number) => string> = {
  'outside any form': (count) => emailInputs(count).join(''),
  'in one form': (count) => `<form novalidate>${emailInputs(count).join('')}</form>`,
  'in a form each': (count) =>
    emailInputs(count)
      .map((input) => `<form>${input}</form>`)
      .join(''),
};

for (const [where, body] of Object.entries(PAGES)) {
  test(`installs by as many calls for 1,000 inputs ${where} as for one`, async ({ page, service, site }) => {
    const script = widgetScript();
    const calls: number[] = [];
    for (const count of [1, 1_000]) {
      const path = site.html(
        `<!doctype html><title>Many</title><script>${QUEUE_STUB}</script>${body(count)}`,
      );
      await page.goto(site.origin() + path);
      calls.push(await page.evaluate(callsOfInstalling, [script, service.origin] as const));
    }
    expect(calls[0]).toBeGreaterThan(0);
    expect(calls[1]).toBe(calls[0]);

    // Proves that it has started: it verifies an address that is typed into the last input.
    const last = page.locator('input').last();
    await last.fill('joe@example.com');
    await last.press('Enter');
    expect((await service.nextRequest()).email).toBe('joe@example.com');
  });
}

/** Runs inside the page. @returns how many methods, getters and setters of nodes the widget calls when it installs */
function callsOfInstalling([source, baseUrl]: readonly [string, string]): number {
  let calls = 0;
  for (const { prototype } of [EventTarget, Node, Document, Element, HTMLElement, HTMLInputElement]) {
    for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name === 'constructor' || !member.configurable) continue;
      const counting = (native?: (...all: unknown[]) => unknown) =>
        native &&
        function (this: unknown, ...all: unknown[]) {
          calls += 1;
          return native.apply(this, all);
        };
      const { value, get, set } = member;
      const counted =
        typeof value === 'function' ? { value: counting(value) } : { get: counting(get), set: counting(set) };
      Object.defineProperty(prototype, name, { ...member, ...counted } as PropertyDescriptor);
    }
  }
  Reflect.get(window, 'emailVerify')({ apiKey: 'test_public_key', baseUrl });
  const tag = document.createElement('script');
  tag.textContent = source;
  // An inline script runs here and now.
  document.head.append(tag);
  return calls;
}

test('adds no listener per input, and none to elements, before an input is used', async ({ widgetPage }) => {
  const counts: number[] = [];
  for (const count of [1, 1_000]) {
    await widgetPage.open(emailInputs(count).join(''));
    const listeners = await widgetPage.page.evaluate(() => window.e2e.listeners);
    expect(listeners.filter(({ target }) => !/^(window|#document)$/i.test(target))).toEqual([]);
    counts.push(listeners.length);
  }
  expect(counts[0]).toBeGreaterThan(0);
  expect(counts[1]).toBe(counts[0]);
});

test('runs no timer and sends no request before the visitor types', async ({ page, service, widgetPage }) => {
  await widgetPage.open(emailInputs(10).join(''), {
    before: `window.timers = 0;
      ['setTimeout', 'setInterval', 'requestAnimationFrame'].forEach(function (name) {
        var native = window[name];
        window[name] = function () { window.timers += 1; return native.apply(window, arguments) };
      });`,
  });
  const started = await page.evaluate('timers');
  await widgetPage.pass(10_000);
  expect(await page.evaluate('timers')).toBe(started);
  expect(service.requests).toEqual([]);
  // Proves that it is there: it verifies an address.
  await page.locator('input').first().fill('joe@example.com');
  await widgetPage.pass(1_000);
  await service.nextRequest();
});

/** Counts the page's objects with this prototype, after garbage collection. */
async function countOf(cdp: CDPSession, prototype: string): Promise<number> {
  const { result: kind } = await cdp.send('Runtime.evaluate', { expression: prototype });
  const { objects } = await cdp.send('Runtime.queryObjects', { prototypeObjectId: kind.objectId! });
  const { result } = await cdp.send('Runtime.callFunctionOn', {
    objectId: objects.objectId!,
    functionDeclaration: 'function () { return this.length }',
    returnByValue: true,
  });
  return result.value as number;
}

/** Uses inputs until each has its verdict, and resolves when the last request is over. */
async function useInputs(widgetPage: WidgetPage, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 1) {
    const input = widgetPage.page.locator('input').nth(index);
    await widgetPage.enterAccepted(`visitor-${index}@example.com`, input);
  }
  await widgetPage.settle();
}

test('releases a request after its verdict', async ({ widgetPage }) => {
  const cdp = await widgetPage.cdp();
  await widgetPage.open(emailInputs(3).join(''));
  const before = await countOf(cdp, 'AbortController.prototype');
  await useInputs(widgetPage, 0, 3);
  expect(await countOf(cdp, 'AbortController.prototype')).toBe(before);
});

test('keeps a dozen functions at most for each further used input', async ({ widgetPage }) => {
  const cdp = await widgetPage.cdp();
  await widgetPage.open(emailInputs(12).join(''));
  await useInputs(widgetPage, 0, 2);
  const before = await countOf(cdp, 'Function.prototype');
  await useInputs(widgetPage, 2, 12);
  expect(((await countOf(cdp, 'Function.prototype')) - before) / 10).toBeLessThanOrEqual(12);
});

test('has a style sheet in a status only while it shows a text', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  const sheets = () => widgetPage.status.evaluate((host) => host.shadowRoot!.adoptedStyleSheets.length);
  await widgetPage.email.focus();
  await expect(widgetPage.status).toHaveCount(1);
  expect(await sheets()).toBe(0);
  await widgetPage.enter('no@example.com');
  await expect(widgetPage.status).not.toHaveText('');
  expect(await sheets()).toBe(1);
  await widgetPage.enterAccepted('joe@example.com');
  await expect.poll(sheets).toBe(0);
});
