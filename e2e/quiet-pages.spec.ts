/** Events and visits that must cost neither a verification nor a connection, because no visitor has typed. */
import { expect, FORM, JOE, test } from './fixtures.ts';

/** Sets an address and fires events once the widget listens, like page code that restores a draft. */
const restoreDraft = (types: string[], isDue = 'true') => `
  (function restore() {
    if (!emailVerify.version || !(${isDue})) return setTimeout(restore, 10);
    email.value = '${JOE}';
    ${JSON.stringify(types)}.forEach(function (type) { email.dispatchEvent(new Event(type, { bubbles: true, composed: true })) });
    window.restored = true;
  })();`;

for (const types of [['input'], ['change'], ['input', 'change']]) {
  test(`spends no verification on ${types} that a page fires before the visitor submits`, async ({
    widgetPage,
  }) => {
    const { page, service } = widgetPage;
    await widgetPage.open(FORM, {
      after: restoreDraft(types),
      clock: 'real',
      options: { verifyAfterDelay: 0 },
    });
    // Not by evaluate(), which counts as an action of the visitor.
    await expect(widgetPage.email).toHaveValue(JOE);
    await expect.poll(() => page.evaluate(() => document.readyState)).toBe('complete');
    await widgetPage.settle(0);
    expect(service.asked).toEqual([]);
    await expect(widgetPage.status).toHaveCount(0);
    await widgetPage.send.click();
    expect(await widgetPage.sent()).toMatchObject({ email: JOE });
    expect(service.asked).toEqual([JOE]);
  });
}

test('verifies after such an event of a password manager in the focused input', async ({ widgetPage }) => {
  await widgetPage.open(FORM.replace('type="email"', 'type="email" autofocus'), {
    // The browser gives the focus with a frame, which a busy one shows later.
    after: restoreDraft(['input'], 'document.activeElement === email'),
    clock: 'real',
    options: { verifyAfterDelay: 0 },
  });
  expect((await widgetPage.service.nextRequest()).email).toBe(JOE);
});

test('connects ahead once for a page, not for each visit to a field', async ({ page, widgetPage }) => {
  await widgetPage.open(`${FORM}<input id="other" type="email">`, {
    before: `links = [];
      new MutationObserver(function (records) {
        records.forEach(function (record) {
          record.addedNodes.forEach(function (node) {
            if (node.rel === 'preconnect') links.push(node.href);
          });
        });
      }).observe(document, { childList: true, subtree: true });`,
  });
  for (let visit = 0; visit < 3; visit++) {
    await widgetPage.email.focus();
    await page.locator('#other').focus();
    await widgetPage.note.focus();
  }
  expect(await page.evaluate('links')).toEqual([`${widgetPage.service.origin}/`]);
  await widgetPage.call('baseUrl', 'http://127.0.0.1:9');
  await widgetPage.email.focus();
  await page.locator('#other').focus();
  expect(await page.evaluate('links')).toEqual([`${widgetPage.service.origin}/`, 'http://127.0.0.1:9/']);
});

test.describe('Enter that ends a composition in Safari (keyCode 229 after compositionend)', () => {
  const press = (keyCode: number) => `email.dispatchEvent(new KeyboardEvent('keydown',
    { key: 'Enter', keyCode: ${keyCode}, isComposing: false, bubbles: true, composed: true, cancelable: true }))`;

  test('sends no request outside a form, but the next Enter does', async ({ page, service, widgetPage }) => {
    await widgetPage.open('<input id="email" type="email">', { options: { verifyOn: 'submit' } });
    await widgetPage.email.pressSequentially(JOE);
    await page.evaluate(press(229));
    await widgetPage.expectNoRequest(1_000);
    await page.evaluate(press(13));
    expect((await service.nextRequest()).email).toBe(JOE);
  });

  test('sends no request in a form, and does not void its validity', async ({ page, widgetPage }) => {
    await widgetPage.open(FORM, { options: { verifyOn: 'submit' } });
    await widgetPage.email.pressSequentially(JOE);
    expect(await page.evaluate(`${press(229)}; form.checkValidity()`)).toBe(true);
    await widgetPage.expectNoRequest(1_000);
    expect(await page.evaluate(`${press(13)}; form.checkValidity()`)).toBe(false);
    expect((await widgetPage.service.nextRequest()).email).toBe(JOE);
  });
});
