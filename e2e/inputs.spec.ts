/** Which inputs of a page the widget monitors, in any place and from any time. */
import { deliverable, expect, FORM, TEXTS, test } from './fixtures.ts';

test('changes nothing on the page before the visitor first uses an input', async ({ page, widgetPage }) => {
  await widgetPage.open(`${FORM}<input id="second" type="email" value="prefilled@example.com">`, {
    after: `window.changes = [];
      new MutationObserver(function (records) {
        records.forEach(function (record) { window.changes.push(record.type + ' ' + record.target.nodeName) });
      }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });`,
  });
  await widgetPage.note.fill('only this');
  await page.mouse.wheel(0, 50);
  await widgetPage.expectNoRequest();
  expect(await page.evaluate('window.changes')).toEqual([]);
  await expect(widgetPage.status).toHaveCount(0);
  // Proves that the widget is there: the first use changes something.
  await widgetPage.email.fill('joe@example.com');
  await expect(widgetPage.status).toHaveCount(1);
});

for (const depth of [1, 2]) {
  test(`verifies an input in a shadow root of depth ${depth}`, async ({ page, service, widgetPage }) => {
    await widgetPage.open('<div id="host"></div><input id="note">', {
      after: `var root = document.getElementById('host').attachShadow({ mode: 'open' });
        for (var level = 1; level < ${depth}; level++) {
          var inner = document.createElement('div'); root.append(inner); root = inner.attachShadow({ mode: 'open' });
        }
        var input = document.createElement('input'); input.type = 'email'; input.id = 'email';
        window.seen = [];
        ['verifying', 'verified'].forEach(function (type) {
          document.addEventListener(type, function (event) { window.seen.push(type + ' ' + event.composedPath()[0].id) });
        });
        root.append(input);`,
    });
    await widgetPage.enter('no@example.com');
    expect((await service.nextRequest()).email).toBe('no@example.com');
    await widgetPage.expectState('rejected');
    await widgetPage.expectCustomValidity(TEXTS.invalid);
    expect(await page.evaluate('window.seen')).toEqual(['verifying email', 'verified email']);
    await expect
      .poll(async () => (await widgetPage.accessibility(widgetPage.email)).description)
      .toContain(TEXTS.invalid);
  });
}

test('leaves an input in a disabled fieldset alone', async ({ page, service, widgetPage }) => {
  await widgetPage.open(
    '<form><fieldset disabled><input id="email" type="email"></fieldset></form><input id="other" type="email"><input>',
  );
  await widgetPage.email.evaluate((element) => {
    const input = element as HTMLInputElement;
    input.value = 'joe@example.com';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new Event('change', { bubbles: true }));
  });
  await widgetPage.expectNoRequest();
  await widgetPage.expectState(null);
  // Proves that the widget is there: it verifies another input.
  await widgetPage.enter('jane@example.com', page.locator('#other'));
  expect((await service.nextRequest()).email).toBe('jane@example.com');
});

test('verifies a value that a password manager fills in with plain events', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.email.evaluate((element) => {
    const input = element as HTMLInputElement;
    input.value = 'filled@example.com';
    for (const type of ['keydown', 'input', 'change', 'keyup', 'blur']) {
      input.dispatchEvent(new Event(type, { bubbles: type !== 'blur' }));
    }
  });
  expect((await widgetPage.service.nextRequest()).email).toBe('filled@example.com');
});

test('reads the attributes of a form with a control named dataset', async ({ service, widgetPage }) => {
  service.answer('*', deliverable({ free: true }));
  await widgetPage.open(`
    <form data-email-verify-allow='{"free": false}'>
      <input id="email" type="email"><input type="hidden" name="dataset">
    </form>`);
  await widgetPage.enterRejected('a@free.example');
});
