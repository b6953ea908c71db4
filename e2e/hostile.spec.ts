/** Pages that replace, extend or shadow browser functions that scripts use. */
import type { Page } from '@playwright/test';
import {
  expect,
  FORM,
  NO,
  PATIENT,
  PUBLIC_KEY,
  rateLimited,
  TEXTS,
  test,
  text,
  UNHURRIED,
  undeliverable,
} from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

/** Types by the keyboard alone, because these pages also break Playwright's checks of an element. */
async function type(page: Page, address: string): Promise<void> {
  await page.evaluate(() => {
    const input = Document.prototype.querySelector.call(document, '#email') as HTMLInputElement;
    input.focus();
  });
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(address);
}

async function click(page: Page): Promise<void> {
  const [x, y] = await page.evaluate(() => {
    const button = Document.prototype.querySelector.call(document, '#send')!;
    const { left, top, width, height } = button.getBoundingClientRect();
    return [left + width / 2, top + height / 2] as const;
  });
  await page.mouse.click(x, y);
}

/** Expects a rejection that blocks, and then an acceptance whose held submission is carried out. */
async function expectItAllWorks(
  widgetPage: WidgetPage,
  { verifyAfterDelay, verificationTimeout }: Record<string, number> = UNHURRIED.options,
): Promise<void> {
  const { page, service } = widgetPage;
  await widgetPage.call('verifyAfterDelay', verifyAfterDelay);
  await type(page, NO);
  await page.keyboard.press('Tab');
  await service.nextRequest();
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

  await widgetPage.call('verificationTimeout', verificationTimeout);
  service.hold();
  await type(page, 'joe@example.com');
  await click(page);
  await widgetPage.expectSubmissions(0, 500);
  await service.nextRequest();
  service.release();
  expect(await widgetPage.sent()).toMatchObject({ email: 'joe@example.com', via: 'button' });
  await widgetPage.expectSubmissions(1, 500);

  const [first, second] = service.requests;
  expect(first).toMatchObject({ method: 'GET', query: { email: NO, timeout: '5' } });
  expect(first?.headers.cookie).toBeUndefined();
  expect(second).toMatchObject({ email: 'joe@example.com' });
  expect(service.preflights).toEqual([]);
}

/** Expects a suggestion to be taken by the pointer, and the page to get the same events as for typing. */
async function expectSuggestionIsTaken(widgetPage: WidgetPage): Promise<void> {
  const { page, service } = widgetPage;
  service.answer('joe@gmial.com', undeliverable({ did_you_mean: 'joe@gmail.com' }));
  await page.evaluate(() => {
    const heard = { input: '', change: '' };
    for (const type of ['input', 'change'] as const) {
      addEventListener(type, (event) => {
        heard[type] = (event.target as HTMLInputElement).value;
      });
    }
    Object.assign(window, { heard });
  });
  await type(page, 'joe@gmial.com');
  await page.keyboard.press('Tab');
  await widgetPage.status.getByRole('button').click();
  await widgetPage.expectState('accepted');
  await expect(widgetPage.email).toHaveValue('joe@gmail.com');
  expect(await page.evaluate('heard')).toEqual({ input: 'joe@gmail.com', change: 'joe@gmail.com' });
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
  // Older than the supported browsers, except for checkVisibility. The widget works without these functions anyway.
  'a browser that lacks much of what came since 2021': `
    delete Object.hasOwn; delete Array.prototype.at; delete String.prototype.at; delete Array.prototype.findLast;
    delete Array.prototype.toSorted; delete AbortSignal.any; delete AbortSignal.timeout; delete window.structuredClone;
    delete Element.prototype.ariaDescribedByElements;
    delete HTMLElement.prototype.showPopover; delete Element.prototype.setHTML; delete Promise.withResolvers;`,
  'a deleted Promise.prototype.finally': 'delete Promise.prototype.finally;',
};
for (const [what, script] of Object.entries(EXTENSIONS)) {
  test(`${what}: works`, async ({ widgetPage }) => {
    await widgetPage.open(FORM, { before: script });
    await expectItAllWorks(widgetPage);
  });
}

/** Replacements of browser functions by libraries, error trackers and old scripts. */
const REPLACEMENTS: Record<string, string> = {
  'a fetch that reports, and returns its own promise': `
    (function (own) {
      window.reported = [];
      window.fetch = function () {
        var answer = own.apply(this, arguments);
        reported.push(typeof arguments[0]);
        return { then: function (done, failed) { return answer.then(done, failed) } };
      };
    })(window.fetch);`,
  'a Promise that replaces the language’s': `
    (function (Own) {
      function Promised(executor) { this.own = new Own(executor) }
      Promised.prototype.then = function (done, failed) {
        var own = this.own;
        return new Promised(function (resolve) { resolve(own.then(done, failed)) });
      };
      Promised.prototype['catch'] = function (failed) { return this.then(undefined, failed) };
      Promised.resolve = function (value) { return new Promised(function (resolve) { resolve(value) }) };
      Promised.reject = function (reason) { return new Promised(function (_, reject) { reject(reason) }) };
      window.Promise = Promised;
    })(window.Promise);`,
  'timers that count, and are objects': `
    (function (start, stop) {
      window.timers = 0;
      window.setTimeout = function (task, delay) {
        timers += 1;
        return { id: start(function () { task.apply(window) }, delay) };
      };
      window.clearTimeout = function (timer) { if (timer) stop(timer.id) };
    })(window.setTimeout, window.clearTimeout);`,
  'an Event class of the page, which sells tickets': `
    window.Event = function Event(title) { this.title = title };
    window.tickets = [new Event('Concert')];`,
  'an addEventListener that wraps every listener': `
    (function (own) {
      EventTarget.prototype.addEventListener = function (type, listener, options) {
        if (typeof listener !== 'function') return own.apply(this, arguments);
        return own.call(this, type, function () { return listener.apply(this, arguments) }, options);
      };
    })(EventTarget.prototype.addEventListener);`,
  'prototypes that are frozen': `
    [Object, Array, Function, String, RegExp, Map, Set, Promise, EventTarget, Node, Element, HTMLElement,
      HTMLInputElement, HTMLFormElement, Document, Event, CustomEvent].forEach(function (constructor) {
      Object.freeze(constructor.prototype); Object.freeze(constructor);
    });`,
};
for (const [what, script] of Object.entries(REPLACEMENTS)) {
  test(`${what}: works`, async ({ widgetPage }) => {
    await widgetPage.open(FORM, { before: script });
    await expectItAllWorks(widgetPage);
    await expectSuggestionIsTaken(widgetPage);
  });

  test(`after the widget has loaded, ${what}: works`, async ({ page, widgetPage }) => {
    await widgetPage.open(FORM);
    await page.evaluate(script);
    await expectItAllWorks(widgetPage);
    await expectSuggestionIsTaken(widgetPage);
  });
}

test('takes frozen options, and leaves them as they are', async ({ page, widgetPage }) => {
  await widgetPage.open(FORM, {
    after: `var given = Object.freeze({ messages: Object.freeze({ invalid: 'Frozen.' }), ignoredInputs: Object.freeze([]) });
      emailVerify(given); emailVerify('messages', Object.freeze({ role: 'Cold.' })); emailVerify(given);`,
  });
  await widgetPage.enterAndRead(NO, 'Frozen.');
  const given = await page.evaluate('JSON.stringify(given)');
  expect(given).toBe('{"messages":{"invalid":"Frozen."},"ignoredInputs":[]}');
});

test('works on a page that sets document.domain', async ({ page, widgetPage }) => {
  await widgetPage.open(FORM, {
    host: 'shop.site.test',
    headers: { 'origin-agent-cluster': '?0' },
    before: "document.domain = 'site.test';",
  });
  expect(await page.evaluate('document.domain')).toBe('site.test');
  await expectItAllWorks(widgetPage);
});

test('works on a page in a sandbox, with an opaque origin', async ({ page, service, widgetPage }) => {
  await widgetPage.open(FORM, {
    headers: { 'content-security-policy': 'sandbox allow-scripts allow-forms' },
  });
  expect(await page.evaluate('origin')).toBe('null');
  await expectItAllWorks(widgetPage);
  expect(service.requests[0]?.origin).toBe('null');
});

test('works in a frame in a sandbox, with an opaque origin', async ({ page, service, widgetPage }) => {
  await widgetPage.open(FORM);
  const path = new URL(page.url()).pathname;
  await widgetPage.openDocument(
    `<!doctype html><iframe id="frame" sandbox="allow-scripts allow-forms" src="${path}"></iframe>`,
  );
  const frame = page.frameLocator('#frame');
  const email = frame.locator('#email');
  await widgetPage.enterRejected(NO, email);
  await expect(frame.locator('.email-verify-status')).toHaveText(TEXTS.invalid);
  await frame.locator('#send').click();
  await widgetPage.expectSubmissions(0, 500);
  await email.fill('joe@example.com');
  await frame.locator('#send').click();
  expect(await widgetPage.sent()).toMatchObject({ email: 'joe@example.com', via: 'button' });
  expect(service.requests.map(({ origin }) => origin)).toEqual(['null', 'null']);
});

const SHADOWING = `submit elements requestSubmit reset noValidate name id parentNode nodeType checkValidity
  addEventListener dispatchEvent isConnected method target closest contains getAttribute querySelector
  ownerDocument getRootNode append tagName`.split(/\s+/);
const images = (names: string) => names.replace(/\S+/g, (name) => `<img name="${name}" alt="">`);

const NAMED: Record<string, string> = {
  'controls named like members of a form': FORM.replace(
    '</form>',
    `${SHADOWING.map((name) => `<input type="hidden" name="${name}" value="1">`).join('')}</form>`,
  ),
  'a button named submit': FORM.replace('name="via"', 'name="submit"').replace(
    '</form>',
    '<input type=hidden name=via value=button></form>',
  ),
  'images and forms named like parts of the document':
    FORM + images('body head documentElement activeElement defaultView forms readyState'),
  'images named like methods of the document':
    FORM +
    images(`createElement createTextNode createDocumentFragment querySelector querySelectorAll
      getElementsByTagName getElementById currentScript addEventListener contains`),
  "elements whose ids are the widget's and the browser's globals": `<div id="q"></div><div id="fetch"></div>
    <div id="event"></div><div id="EmailVerifyObject"></div>${FORM}`,
};
for (const [what, body] of Object.entries(NAMED)) {
  test(`works with ${what}`, async ({ widgetPage }) => {
    await widgetPage.open(body);
    await expectItAllWorks(widgetPage);
  });
}

test('works on a page that stops every event at the window', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.page.evaluate(() => {
    for (const type of ['input', 'change', 'focusin', 'focusout', 'keydown', 'click']) {
      window.addEventListener(type, (event) => event.stopImmediatePropagation(), true);
    }
  });
  // There, the widget does not hear that the field is left.
  await expectItAllWorks(widgetPage, { ...UNHURRIED.options, verifyAfterDelay: 1_000 });
});

test('works with an adopted form of another document', async ({ page, service, widgetPage }) => {
  await widgetPage.open('<iframe id="frame" src="about:blank"></iframe><div id="root"></div>');
  await page.evaluate((html) => {
    const frame = (document.getElementById('frame') as HTMLIFrameElement).contentDocument!;
    frame.body.innerHTML = html;
    document.getElementById('root')!.append(frame.body.firstElementChild!);
  }, FORM.trim());
  await widgetPage.enter('joe@example.com');
  expect((await service.nextRequest()).email).toBe('joe@example.com');
  await widgetPage.send.click();
  await widgetPage.sent();
});

test('keeps the error event from window.onerror and error trackers', async ({ service, widgetPage }) => {
  service.answer('*', rateLimited());
  await widgetPage.open(FORM, {
    before: `window.tracked = 0;
      window.onerror = function () { tracked += 1 };
      window.addEventListener('error', function () { tracked += 1 });
      document.addEventListener('error', function () { tracked += 1 });`,
  });
  await widgetPage.enter('joe@example.com');
  await widgetPage.nextEvent('error');
  expect(await widgetPage.page.evaluate('tracked')).toBe(0);
});

test('sends an address with half a surrogate pair as valid Unicode', async ({ service, widgetPage }) => {
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

test('works if the page removes the status element', async ({ page, widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.enterAccepted('joe@example.com');
  // The second file may come after the verdict.
  await expect(widgetPage.status).toHaveCount(1);
  await page.evaluate(() => document.querySelector('.email-verify-status')!.remove());
  await widgetPage.enterRejected(NO);
  await expect(widgetPage.status).toHaveText(TEXTS.invalid);
});

test.describe('with a hostile service', () => {
  /** A result with the same text in every field but the address, because one of another address is none. */
  const saying = (words: string) =>
    undeliverable({
      did_you_mean: words,
      domain: words,
      first_name: words,
      full_name: words,
      gender: words,
      last_name: words,
      mx_record: words,
      smtp_provider: words,
      tag: words,
      user: words,
    });

  test('suggests nothing that is not an address, and makes no markup of it', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM);
    const before = await widgetPage.email.boundingBox();
    for (const words of [
      '<img src=x onerror="evil = true">@gmail.com',
      '<script>evil = true</script>',
      'javascript:evil=true',
      '</span><style>* { display: none }</style>',
      '\u202emoc.liamg@eoj\u202c',
      'joe@gm\u202eail.com',
      'joe@gmail.com\nand more',
      'x'.repeat(800),
    ]) {
      await test.step(words.slice(0, 40), async () => {
        widgetPage.service.answer('*', saying(words));
        await widgetPage.enterRejected(`no-${widgetPage.service.asked.length}@example.com`);
        await expect(widgetPage.status).toHaveText(TEXTS.invalid);
        await expect(widgetPage.status.getByRole('button')).toHaveCount(0);
      });
    }
    expect(await page.evaluate('typeof evil')).toBe('undefined');
    expect(await widgetPage.email.boundingBox()).toEqual(before);
  });

  test('wraps the longest possible address within the window', async ({ page, service, widgetPage }) => {
    const address = `<b>ä</b>${'w'.repeat(56)}@${'m'.repeat(63)}.${'m'.repeat(63)}.${'w'.repeat(50)}.example`;
    service.answer(NO, saying(address));
    await page.setViewportSize({ width: 320, height: 480 });
    await widgetPage.open(FORM);
    await widgetPage.enter(NO);
    const button = widgetPage.status.getByRole('button', { name: address });
    // The box gets its width and its place in the next frame.
    await expect
      .poll(async () => {
        const { x, width } = (await button.boundingBox())!;
        return x >= 0 && x + width <= 320;
      })
      .toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await expect(widgetPage.status.locator('b')).toHaveCount(0);
  });

  test('changes no prototype', async ({ page, service, widgetPage }) => {
    const pollution = '{"__proto__":{"evil":1},"constructor":{"prototype":{"evil":1}},"state":';
    service.answer('joe@example.com', text(`${pollution}"deliverable"}`));
    service.answer('jane@example.com', { ...text(`${pollution}null,"message":"No."}`), status: 500 });
    await widgetPage.open(FORM);
    await widgetPage.enterAccepted('joe@example.com');
    await widgetPage.enter('jane@example.com');
    await widgetPage.expectState('error');
    expect(await page.evaluate("'evil' in {} || 'evil' in [] || 'evil' in Object")).toBe(false);
  });
});

test('sends the key to baseUrl only, stores nothing, logs no address', async ({ context, widgetPage }) => {
  const { page, service } = widgetPage;
  const bearers: string[] = [];
  page.on('request', (request) => {
    const all = request.url() + (request.postData() ?? '') + JSON.stringify(request.headers());
    if (all.includes(PUBLIC_KEY)) bearers.push(new URL(request.url()).origin);
  });
  const logged: string[] = [];
  page.on('console', (message) => logged.push(`${message.type()}: ${message.text()}`));

  service.answer(NO, undeliverable({ did_you_mean: 'joe@gmail.com' }));
  service.answer('limit@example.com', rateLimited('Not for limit@example.com'));
  await widgetPage.open(FORM, {
    options: { baseUrl: `${service.origin}/behind/a/path`, nonsense: 1, verifyAfterDelay: 'soon' },
    after: "emailVerify('verify', document.getElementById('note'));",
  });
  for (const address of ['joe@example.com', NO, 'limit@example.com', 'no address']) {
    await widgetPage.enter(address);
    await expect(widgetPage.email).toHaveAttribute('data-email-verify', /accepted|rejected|error/);
  }
  await widgetPage.email.fill('jane@example.com');
  await widgetPage.send.click();
  await widgetPage.sent();

  expect(bearers).toEqual(Array(4).fill(service.origin));
  expect(service.requests.map(({ path }) => path)).toEqual(Array(4).fill('/behind/a/path/v1/verify'));
  expect(await context.cookies()).toEqual([]);
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 0]);
  expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
  expect(await page.evaluate(() => caches.keys())).toEqual([]);
  const byWidget = logged.filter((line) => !line.startsWith('error: Failed to load resource'));
  expect(byWidget).toEqual([
    expect.stringContaining('nonsense'),
    expect.stringContaining('verifyAfterDelay'),
  ]);
  expect(byWidget.join()).not.toContain('@');
});

test('works in a page that later defines names of the platform', async ({ page, service, widgetPage }) => {
  service.hold();
  await widgetPage.open(FORM, { clock: 'real', ...PATIENT });
  await page.waitForFunction('emailVerify.version');
  await page.addScriptTag({
    content: `class Map {} class Promise {} class AbortController {} class Element {} class Document {}
      class CustomEvent {} class URLSearchParams {} class TextDecoder {} class HTMLFormElement {}
      class HTMLInputElement {} class DocumentFragment {} class Set {} class URL {} function Node() {}`,
  });
  await widgetPage.email.fill('joe@example.com');
  await widgetPage.send.click();
  await service.nextRequest();
  expect(widgetPage.site.submissions).toEqual([]);
  service.release();
  expect(await widgetPage.sent()).toMatchObject({ email: 'joe@example.com', via: 'button' });
  // The page has defined them before the visitor's first contact, with which the face comes.
  service.answer('joe@gmial.com', undeliverable({ did_you_mean: 'joe@gmail.com' }));
  await widgetPage.email.fill('joe@gmial.com');
  await widgetPage.email.blur();
  await widgetPage.status.getByRole('button').click();
  await widgetPage.expectState('accepted');
  await expect(widgetPage.email).toHaveValue('joe@gmail.com');
});
