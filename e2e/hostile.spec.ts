/** Pages that replace, extend or shadow what scripts usually lean on. */
import type { Page } from '@playwright/test';
import { expect, FORM, rateLimited, TEXTS, test, undeliverable } from './fixtures.ts';
import type { MockService } from './mock-service/mock-service.ts';
import type { Site } from './pages/site.ts';
import type { WidgetPage } from './pages/widget-page.ts';

const NO = 'no@example.com';

/** Types by the keyboard alone: on these pages Playwright's own checks of an element would trip as well. */
async function type(page: Page, address: string): Promise<void> {
  await page.evaluate(() => {
    const input = Document.prototype.querySelector.call(document, '#email') as HTMLInputElement;
    input.focus();
    input.select();
  });
  await page.keyboard.insertText(address);
}

async function click(page: Page): Promise<void> {
  const [x, y] = await page.evaluate(() => {
    const button = Document.prototype.querySelector.call(document, '#send')!;
    const { left, top, width, height } = button.getBoundingClientRect();
    return [left + width / 2, top + height / 2] as const;
  });
  await page.mouse.click(x, y);
}

/** A rejection that blocks, then an acceptance whose held submission is carried out: the whole of the main job. */
async function expectItAllWorks(widgetPage: WidgetPage, service: MockService, site: Site): Promise<void> {
  service.answer(NO, undeliverable());
  const { page } = widgetPage;
  await type(page, NO);
  await page.keyboard.press('Tab');
  const rejected = await widgetPage.nextEvent('verified');
  expect(rejected).toMatchObject({ isCustomEvent: true, bubbles: true, composed: true, cancelable: false });
  expect(rejected.detail).toMatchObject({
    accepted: false,
    message: TEXTS.invalid,
    verificationData: { status: 200 },
  });
  await widgetPage.expectCustomValidity(TEXTS.invalid);
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  await click(page);
  await widgetPage.expectSubmissions(0, 500);

  service.hold();
  await type(page, 'joe@example.com');
  await click(page);
  await widgetPage.expectSubmissions(0, 500);
  service.release();
  expect((await site.submission()).fields).toMatchObject({ email: 'joe@example.com', via: 'button' });
  await widgetPage.expectSubmissions(1, 500);

  const [first, second] = service.requests;
  expect(first).toMatchObject({ method: 'GET', query: { email: NO, timeout: '5' } });
  expect(first?.headers.cookie).toBeUndefined();
  expect(second).toMatchObject({ email: 'joe@example.com' });
  expect(service.preflights).toEqual([]);
}

const EXTENSIONS: Record<string, string> = {
  "Prototype.js: Array's own toJSON, methods on every array and object": `
    Array.prototype.toJSON = function () { return '"' + this.join() + '"' };
    String.prototype.toJSON = function () { return '"' + this + '"' };
    Array.prototype.each = function () {};
    Object.prototype.extend = function () { return 'extended' };`,
  'Object.prototype with the names of fetch options': `
    Object.prototype.signal = 'no signal'; Object.prototype.method = 'DELETE'; Object.prototype.body = 'body';
    Object.prototype.headers = { 'x-evil': '1' }; Object.prototype.credentials = 'include';
    Object.prototype.mode = 'same-origin'; Object.prototype.integrity = 'sha256-x'; Object.prototype.keepalive = true;`,
  'Object.prototype with the names of event options': `
    Object.prototype.bubbles = false; Object.prototype.cancelable = true; Object.prototype.composed = false;
    Object.prototype.detail = 'leaked'; Object.prototype.once = true; Object.prototype.passive = true;`,
  "Object.prototype with the names of the widget's own options and fields": `
    Object.prototype.apiKey = 'leaked'; Object.prototype.verifyAfterDelay = 1; Object.prototype.invalid = 'leaked';
    Object.prototype.free = false; Object.prototype.state = 'risky'; Object.prototype.did_you_mean = 'a@leak.example';
    Object.prototype.accepted = true; Object.prototype.message = 'leaked'; Object.prototype.verdict = {};`,
  'Element methods replaced by an old library': `
    Element.prototype.remove = function () { this.style.display = 'none'; return this };
    Array.from = function () { return [] };
    Function.prototype.bind = function (self) {
      var bound = this;
      return function () { return bound.apply(self, arguments) };
    };`,
  // The oldest that build.mjs aims at. Sheets could not be constructed before Safari 16.4 and Firefox 101.
  'a browser of early 2021, which lacks what came later': `
    delete Object.hasOwn; delete Array.prototype.at; delete String.prototype.at; delete Array.prototype.findLast;
    delete Array.prototype.toSorted; delete AbortSignal.any; delete AbortSignal.timeout; delete window.structuredClone;
    delete Document.prototype.adoptedStyleSheets; delete ShadowRoot.prototype.adoptedStyleSheets;
    window.CSSStyleSheet = function () { throw new TypeError('Illegal constructor') }; delete Element.prototype.checkVisibility; delete Element.prototype.ariaDescribedByElements;
    delete HTMLElement.prototype.showPopover; delete Element.prototype.setHTML; delete Promise.withResolvers;`,
  'a deleted Promise.prototype.finally': 'delete Promise.prototype.finally;',
};
for (const [what, script] of Object.entries(EXTENSIONS)) {
  test(`${what}: it all works`, async ({ service, site, widgetPage }) => {
    await widgetPage.open(FORM, { before: script });
    await expectItAllWorks(widgetPage, service, site);
  });
}

const SHADOWING = [
  'submit',
  'elements',
  'requestSubmit',
  'noValidate',
  'name',
  'id',
  'parentNode',
  'nodeType',
  'checkValidity',
  'addEventListener',
  'dispatchEvent',
  'isConnected',
  'method',
  'target',
  'closest',
  'contains',
  'getAttribute',
  'querySelector',
  'ownerDocument',
  'getRootNode',
  'append',
  'tagName',
];
test('controls named like what a form can do: it all works', async ({ service, site, widgetPage }) => {
  const controls = SHADOWING.map((name) => `<input type="hidden" name="${name}" value="1">`).join('');
  await widgetPage.open(FORM.replace('</form>', `${controls}</form>`));
  await expectItAllWorks(widgetPage, service, site);
});

test('a button named submit, as so many are: it all works', async ({ service, site, widgetPage }) => {
  await widgetPage.open(
    FORM.replace('name="via"', 'name="submit"').replace(
      '</form>',
      '<input type=hidden name=via value=button></form>',
    ),
  );
  await expectItAllWorks(widgetPage, service, site);
});

test('images and forms named like parts of the document: it all works', async ({
  service,
  site,
  widgetPage,
}) => {
  const names = ['body', 'head', 'documentElement', 'activeElement', 'defaultView', 'forms', 'readyState'];
  await widgetPage.open(FORM + names.map((name) => `<img name="${name}" alt="">`).join(''));
  await expectItAllWorks(widgetPage, service, site);
});

test('images named like what a document can do: it all works', async ({ service, site, widgetPage }) => {
  const names = [
    'createElement',
    'createTextNode',
    'createDocumentFragment',
    'querySelector',
    'querySelectorAll',
    'getElementsByTagName',
    'getElementById',
    'currentScript',
    'addEventListener',
    'contains',
  ];
  await widgetPage.open(FORM + names.map((name) => `<img name="${name}" alt="">`).join(''));
  await expectItAllWorks(widgetPage, service, site);
});

test("elements whose ids are the widget's and the browser's globals: it all works", async ({
  service,
  site,
  widgetPage,
}) => {
  await widgetPage.open(
    `<div id="q"></div><div id="fetch"></div><div id="event"></div><div id="EmailVerifyObject"></div>${FORM}`,
  );
  await expectItAllWorks(widgetPage, service, site);
});

test('a page that stops every event at the window: it all works', async ({ service, site, widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.page.evaluate(() => {
    for (const type of ['input', 'change', 'focusin', 'focusout', 'keydown', 'click']) {
      window.addEventListener(type, (event) => event.stopImmediatePropagation(), true);
    }
  });
  await expectItAllWorks(widgetPage, service, site);
});

test('a form of another document that was adopted: it all works', async ({
  page,
  service,
  site,
  widgetPage,
}) => {
  await widgetPage.open('<iframe id="frame" src="about:blank"></iframe><div id="root"></div>');
  await page.evaluate((html) => {
    const frame = (document.getElementById('frame') as HTMLIFrameElement).contentDocument!;
    frame.body.innerHTML = html;
    document.getElementById('root')!.append(frame.body.firstElementChild!);
  }, FORM.trim());
  await widgetPage.enter('joe@example.com');
  expect((await service.nextRequest()).email).toBe('joe@example.com');
  await widgetPage.send.click();
  await site.submission();
});

test('the error event never reaches window.onerror or an error tracker', async ({
  page,
  service,
  widgetPage,
}) => {
  service.answer('*', rateLimited());
  await widgetPage.open(FORM, {
    before: `window.tracked = 0;
      window.onerror = function () { tracked += 1 };
      window.addEventListener('error', function () { tracked += 1 });
      document.addEventListener('error', function () { tracked += 1 });`,
  });
  await widgetPage.enter('joe@example.com');
  await widgetPage.nextEvent('error');
  expect(await page.evaluate('tracked')).toBe(0);
});

test('an address with half a surrogate pair is sent as Unicode can, and nothing throws', async ({
  service,
  widgetPage,
}) => {
  await widgetPage.open('<input id="email" type="text"><input id="note">', {
    options: { inputSelector: '#email' },
  });
  await widgetPage.email.evaluate((element) => {
    const input = element as HTMLInputElement;
    input.value = 'a\ud800@example.com';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });
  expect((await service.nextRequest()).email).toBe('a\ufffd@example.com');
  await widgetPage.expectState('accepted');
});

test('the page may remove the status element: it all works', async ({ page, service, widgetPage }) => {
  service.answer(NO, undeliverable());
  await widgetPage.open(FORM);
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectState('accepted');
  await page.evaluate(() => document.querySelector('.email-verify-status')!.remove());
  await widgetPage.enter(NO);
  await widgetPage.expectState('rejected');
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
});
