/** Pages that are left, and restored from the back/forward cache. */
import { leaveOutFor } from './engines/differences.ts';
import { expect, FORM, JOE, NO, PATIENT, TEXTS, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';

test.use({
  launchOptions: async ({ launchOptions }, use) => {
    // Playwright turns Chromium's cache off.
    await use({ ...launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  },
});

test.beforeEach(({ page }) => {
  leaveOutFor('a page restored from the cache', page);
});

/** Opens a page that records whether it was restored when the visitor comes back. */
async function open(widgetPage: WidgetPage): Promise<void> {
  await widgetPage.open(FORM, { clock: 'real', options: { ...PATIENT.options, verifyAfterDelay: 0 } });
  await widgetPage.page.evaluate(() => {
    window.addEventListener('pageshow', (event) => Object.assign(window, { persisted: event.persisted }));
  });
}

/** Leaves, and comes back to the same page. */
async function leaveAndComeBack(widgetPage: WidgetPage, meanwhile = () => {}): Promise<void> {
  await widgetPage.leave();
  meanwhile();
  await widgetPage.comeBack();
  await expect.poll(() => widgetPage.page.evaluate(() => Reflect.get(window, 'persisted'))).toBe(true);
}

test('still blocks a rejected address', async ({ page, widgetPage }) => {
  await open(widgetPage);
  await widgetPage.enterRejected(NO);
  await leaveAndComeBack(widgetPage);
  await widgetPage.expectState('rejected');
  await widgetPage.expectCustomValidity(TEXTS.invalid);
  await widgetPage.send.click();
  await expect(widgetPage.email).toBeFocused();
  expect(await page.evaluate(() => window.e2e.submits)).toEqual([]);
});

test('cancels a pending request without an error, and repeats it', async ({ service, widgetPage }) => {
  service.hold();
  await open(widgetPage);
  await widgetPage.enter(JOE);
  await service.nextRequest();
  await leaveAndComeBack(widgetPage, () => service.release());
  await widgetPage.expectState('accepted');
  expect(service.asked).toEqual([JOE, JOE]);
  expect(await widgetPage.events('error')).toEqual([]);
});

test('does not carry out a held submission', async ({ page, service, widgetPage }) => {
  service.hold();
  await open(widgetPage);
  await widgetPage.enter(JOE);
  await widgetPage.send.click();
  await service.nextRequest();
  await leaveAndComeBack(widgetPage, () => service.release());
  await widgetPage.expectState('accepted');
  await widgetPage.expectCustomValidity('');
  // The later submission must be the only one. The held one would have arrived before it.
  await widgetPage.send.click();
  await widgetPage.sent();
  expect(await page.evaluate(() => window.e2e.submits)).toHaveLength(1);
});

test('submits an accepted address at once', async ({ service, widgetPage }) => {
  await open(widgetPage);
  await widgetPage.enterAccepted(JOE);
  await leaveAndComeBack(widgetPage);
  await widgetPage.send.click();
  expect(await widgetPage.sent()).toMatchObject({ email: JOE });
  expect(service.asked).toEqual([JOE]);
});
