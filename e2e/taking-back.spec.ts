/** What the widget releases: removed fields, and with destroy() or without a key, everything from options. */
import { expect, FORM, PUBLIC_KEY, test, undeliverable } from './fixtures.ts';

const JOE = 'joe@example.com';
const NO = 'no@example.com';
const ENGLISH = 'This address does not seem to exist.';
const GERMAN = 'Diese Adresse gibt es nicht.';

test.beforeEach(({ service }) => {
  service.answer(NO, undeliverable());
});

test('releases a field that was only focused when its view goes', async ({ page, widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.email.focus();
  await expect(widgetPage.status).toHaveCount(1);
  await page.evaluate(`view = form; view.remove()`);
  await widgetPage.pass(250);
  await expect(widgetPage.status).toHaveCount(0);
  expect(await page.evaluate(`view.querySelector('#email').hasAttribute('aria-describedby')`)).toBe(false);
});

test('forgets the language with destroy, and uses English after a new start', async ({
  service,
  widgetPage,
}) => {
  await widgetPage.open(FORM, { options: { messages: undefined, locale: { invalid: GERMAN } } });
  await widgetPage.enter(NO);
  await expect(widgetPage.status).toHaveText(GERMAN);
  await widgetPage.call('destroy');
  await widgetPage.call({ apiKey: PUBLIC_KEY, baseUrl: service.origin });
  await widgetPage.enter(NO);
  await expect(widgetPage.status).toHaveText(ENGLISH);
});

test('forgets the results with destroy, and verifies again after a new start', async ({
  service,
  widgetPage,
}) => {
  await widgetPage.open(FORM);
  await widgetPage.enter(JOE);
  await widgetPage.expectState('accepted');
  await widgetPage.call('destroy');
  await widgetPage.expectState(null);
  await widgetPage.call({ apiKey: PUBLIC_KEY, baseUrl: service.origin });
  await widgetPage.enter(JOE);
  await widgetPage.expectState('accepted');
  expect(service.asked).toEqual([JOE, JOE]);
});

for (const [what, cancel] of Object.entries({
  '': 'function () { cancelled += 1 }',
  ', even if that throws': 'function () { cancelled += 1; throw new Error("nothing to cancel") }',
})) {
  test(`removes a captcha’s challenge with destroy${what}, and can start again`, async ({
    page,
    service,
    widgetPage,
  }) => {
    await widgetPage.open(FORM);
    await page.evaluate(`cancelled = 0; captcha = function () { return 'token' };
      captcha.cancel = ${cancel}; emailVerify('captcha', captcha)`);
    await widgetPage.enter(JOE);
    await widgetPage.expectState('accepted');
    await widgetPage.call('destroy');
    expect(await page.evaluate('cancelled')).toBe(1);
    await widgetPage.call('destroy');
    await widgetPage.call({ apiKey: PUBLIC_KEY, baseUrl: service.origin });
    await widgetPage.enter(NO);
    await widgetPage.expectState('rejected');
  });
}

test('removes everything with an empty key, and starts again with a later key', async ({
  page,
  service,
  site,
  widgetPage,
}) => {
  await widgetPage.open(FORM.replace('<form', '<form novalidate'));
  await widgetPage.enter(NO);
  await widgetPage.expectState('rejected');
  await expect(page.locator('form')).not.toHaveAttribute('novalidate');

  await widgetPage.call('apiKey', '');
  await widgetPage.expectState(null);
  await widgetPage.expectCustomValidity('');
  await expect(widgetPage.status).toHaveCount(0);
  await expect(page.locator('form')).toHaveAttribute('novalidate');
  expect(
    await widgetPage.email.evaluate((input) =>
      input.getAttributeNames().filter((name) => /^aria|^data/.test(name)),
    ),
  ).toEqual([]);
  await widgetPage.enter(JOE);
  await widgetPage.expectNoRequest();
  await widgetPage.send.click();
  expect((await site.submission()).fields).toMatchObject({ email: JOE });
  await widgetPage.expectState(null);

  await widgetPage.call('apiKey', PUBLIC_KEY);
  await expect(page.locator('form')).not.toHaveAttribute('novalidate');
  await widgetPage.enter('ann@example.com');
  await widgetPage.expectState('accepted');
  expect(service.asked).toEqual([NO, 'ann@example.com']);
});

test('cancels the verification and a held submission with an empty key', async ({ service, widgetPage }) => {
  await widgetPage.sendWhilePending(JOE);
  await widgetPage.call('apiKey', '');
  service.release();
  await widgetPage.expectSubmissions(0, 1_000);
  await widgetPage.expectState(null);
  await widgetPage.expectCustomValidity('');
});
