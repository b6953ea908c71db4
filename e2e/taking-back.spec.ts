/** What the widget releases: removed fields, and with destroy() or without a key, everything from options. */
import { expect, FORM, JOE, NO, PUBLIC_KEY, test, undeliverable } from './fixtures.ts';

test('restores the page with destroy', async ({ page, service, widgetPage }) => {
  const form = FORM.replace('<form', '<form novalidate').replace(
    'type="email"',
    'type="email" aria-describedby="hint" aria-invalid="false" data-own="1"',
  );
  service.answer(NO, undeliverable({ did_you_mean: 'yes@example.com' }));
  await widgetPage.open(`${form}<p id="hint">We never share it.</p>`, {
    options: { resultField: 'verification' },
  });
  await page.evaluate(`window.found = document.body.innerHTML.replace('<form id', '<form novalidate="" id')`);
  await widgetPage.enterRejected(NO);
  // The element that loads the second file is there until the file has come, perhaps after the verdict.
  await expect(page.locator('script[src*="-status.js"]')).toHaveCount(0);
  await widgetPage.call('destroy');
  const sorted = `(function sorted(element) {
    return [element.nodeName, element.getAttributeNames().sort().map((name) => name + '=' + element.getAttribute(name)),
      [...element.children].map(sorted)];
  })`;
  const now = await page.evaluate(`${sorted}(document.body)`);
  const then = await page.evaluate(
    `${sorted}(new DOMParser().parseFromString('<body>' + window.found, 'text/html').body)`,
  );
  expect(now).toEqual(then);
  await widgetPage.expectCustomValidity('');
  expect(await page.evaluate('document.adoptedStyleSheets.length')).toBe(0);
});

test('removes everything with an empty key, and starts again with a later key', async ({ widgetPage }) => {
  const { page, service } = widgetPage;
  await widgetPage.open(FORM.replace('<form', '<form novalidate'));
  await widgetPage.enterRejected(NO);
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
  expect(await widgetPage.sent()).toMatchObject({ email: JOE });
  await widgetPage.expectState(null);

  await widgetPage.call('apiKey', PUBLIC_KEY);
  await expect(page.locator('form')).not.toHaveAttribute('novalidate');
  await widgetPage.enterAccepted('ann@example.com');
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
