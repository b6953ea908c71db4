/** The widget sleeps until it is needed. On an unused page, it costs only its listeners. */
import { expect, FORM, JOE, NO, TEXTS, test } from './fixtures.ts';
import type { OpenOptions, WidgetPage } from './pages/widget-page.ts';

/** Records each query and read of the document by a script. */
const COUNT_LOOKS = `looks = [];
  [[Document, 'querySelectorAll'], [Document, 'querySelector'], [Element, 'querySelectorAll'],
   [Element, 'matches'], [Element, 'getAttribute'], [Document, 'getElementsByTagName'],
   [Document, 'createElement']].forEach(function (pair) {
    var prototype = pair[0].prototype, name = pair[1], native = prototype[name];
    prototype[name] = function () { looks.push(name); return native.apply(this, arguments); };
  });`;

const NOVALIDATE = FORM.replace('<form', '<form novalidate');

/** Opens a page whose clock is paused from its first moment, and waits for the script. */
async function openAsleep(widgetPage: WidgetPage, body: string, options: OpenOptions = {}): Promise<void> {
  const { clock } = widgetPage.page;
  await clock.install({ time: 0 });
  await clock.pauseAt(1_000);
  await widgetPage.open(body, { ...options, clock: 'real' });
  await widgetPage.page.waitForFunction('emailVerify.version', undefined, { polling: 20 });
}

/** Releases the verdict, and returns the fields of the submission that was held until then. */
async function fieldsSentAfterRelease(widgetPage: WidgetPage) {
  const { page, service, site } = widgetPage;
  await service.nextRequest();
  await widgetPage.expectSubmissions(0, 0);
  service.release();
  await widgetPage.expectState('accepted');
  await page.clock.runFor(10);
  return (await site.submission()).fields;
}

test('reads nothing from the page while it loads, with any number of inputs', async ({ widgetPage }) => {
  const { page } = widgetPage;
  await openAsleep(widgetPage, NOVALIDATE.repeat(20), { before: COUNT_LOOKS });
  expect(await page.evaluate('looks')).toEqual([]);
  await expect(page.locator('form[novalidate]')).toHaveCount(20);
  await widgetPage.page.clock.runFor(250);
  expect(await page.evaluate('looks')).toContain('querySelectorAll');
  await expect(page.locator('form[novalidate]')).toHaveCount(0);
});

test('warns of a missing key and wrong options 250 ms after the page is ready', async ({ widgetPage }) => {
  await openAsleep(widgetPage, FORM, { options: { apiKey: undefined, verifyAfterDelay: -1 } });
  await widgetPage.page.clock.runFor(200);
  expect(widgetPage.warnings).toEqual([]);
  await widgetPage.page.clock.runFor(50);
  expect(widgetPage.warnings).toHaveLength(2);
});

test('removes novalidate at the first event of the first quarter of a second', async ({ widgetPage }) => {
  await openAsleep(widgetPage, NOVALIDATE);
  await expect(widgetPage.page.locator('form')).toHaveAttribute('novalidate');
  await widgetPage.email.focus();
  await expect(widgetPage.page.locator('form')).not.toHaveAttribute('novalidate');
});

test('verifies for a visitor who types at once, and holds a submission then', async ({ widgetPage }) => {
  widgetPage.service.hold();
  await openAsleep(widgetPage, FORM);
  await widgetPage.email.fill(JOE);
  await widgetPage.send.click();
  expect(await fieldsSentAfterRelease(widgetPage)).toMatchObject({ email: JOE, via: 'button' });
});

test('holds a submission that is the first event', async ({ page, service, widgetPage }) => {
  service.hold();
  await openAsleep(widgetPage, FORM.replace('type="email"', `type="email" value="${JOE}"`));
  await page.evaluate('form.requestSubmit(send)');
  expect(await fieldsSentAfterRelease(widgetPage)).toMatchObject({ email: JOE, via: 'button' });
});

test('sends no button for a script’s click and requestSubmit() without one', async ({ page, widgetPage }) => {
  widgetPage.service.hold();
  const filledIn = FORM.replace('type="email"', `type="email" value="${JOE}"`);
  await openAsleep(widgetPage, filledIn, {
    after: `send.addEventListener('click', function (event) { event.preventDefault(); form.requestSubmit() })`,
  });
  await page.evaluate('send.click()');
  expect(await fieldsSentAfterRelease(widgetPage)).toEqual({ email: JOE, note: '' });
});

test('wakes at verify()', async ({ page, widgetPage }) => {
  await openAsleep(widgetPage, FORM);
  expect(await page.evaluate(`email.value = '${NO}'; emailVerify('verify', email)`)).toMatchObject({
    accepted: false,
    message: TEXTS.invalid,
  });
});
