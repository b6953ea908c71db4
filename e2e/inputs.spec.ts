/** Which inputs of a page the widget monitors, in any place and from any time. */
import { deliverable, eachRow, expect, FORM, TEXTS, test, undeliverable } from './fixtures.ts';

test('changes nothing on the page before the visitor first uses an input', async ({ page, widgetPage }) => {
  await widgetPage.open(`${FORM}<input id="second" type="email" value="prefilled@example.com">`, {
    after: `window.changes = [];
      new MutationObserver(function (records) {
        records.forEach(function (record) { window.changes.push(record.type + ' ' + record.target.nodeName) });
      }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });`,
  });
  await page.locator('#note').fill('only this');
  await page.mouse.wheel(0, 50);
  await widgetPage.expectNoRequest();
  expect(await page.evaluate('window.changes')).toEqual([]);
  await expect(widgetPage.status).toHaveCount(0);
  // Proves that the widget is there: the first use changes something.
  await widgetPage.email.fill('joe@example.com');
  await expect(widgetPage.status).toHaveCount(1);
});

test('verifies an input that is added later', async ({ page, service, widgetPage }) => {
  await widgetPage.open('<div id="root"></div><input id="note">');
  await page.evaluate(() => {
    document.getElementById('root')!.innerHTML = '<form><input type="email" id="email" name="email"></form>';
  });
  await widgetPage.enter('joe@example.com');
  expect((await service.nextRequest()).email).toBe('joe@example.com');
  await widgetPage.expectState('accepted');
});

test('verifies an input from the moment when it becomes an email input', async ({ service, widgetPage }) => {
  await widgetPage.open('<input id="email" type="text"><input id="note">');
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectNoRequest();
  await widgetPage.email.evaluate((input) => input.setAttribute('type', 'email'));
  await widgetPage.enter('jane@example.com');
  expect((await service.nextRequest()).email).toBe('jane@example.com');
});

test('leaves an input alone that is not an email input any more', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.enter('jane@example.com');
  await service.nextRequest();
  await widgetPage.email.evaluate((input) => input.setAttribute('type', 'text'));
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectNoRequest();
});

test('still verifies an input that is moved within the page', async ({ page, service, widgetPage }) => {
  await widgetPage.open(`${FORM}<div id="elsewhere"></div>`);
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectState('accepted');
  await page.evaluate(() => document.getElementById('elsewhere')!.append(document.getElementById('email')!));
  service.answer('no@example.com', undeliverable());
  await widgetPage.enter('no@example.com');
  await widgetPage.expectState('rejected');
});

for (const depth of [1, 2]) {
  test(`verifies an input inside ${depth === 1 ? 'an open shadow root' : 'nested shadow roots'}`, async ({
    page,
    service,
    widgetPage,
  }) => {
    service.answer('no@example.com', undeliverable());
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

test('verifies an input in a modal dialog', async ({ page, service, widgetPage }) => {
  await widgetPage.open(`<dialog id="dialog">${FORM}</dialog>`);
  await page.evaluate(() => (document.getElementById('dialog') as HTMLDialogElement).showModal());
  await widgetPage.enter('joe@example.com');
  await service.nextRequest();
  await widgetPage.expectState('accepted');
});

test('verifies an input outside any form', async ({ service, widgetPage }) => {
  service.answer('no@example.com', undeliverable());
  await widgetPage.open('<input id="email" type="email"><input id="note">');
  await widgetPage.enter('no@example.com');
  await widgetPage.expectState('rejected');
  await widgetPage.expectCustomValidity(TEXTS.invalid);
});

test('blocks the form to which an input belongs by its form attribute', async ({
  page,
  service,
  widgetPage,
}) => {
  service.answer('no@example.com', undeliverable());
  await widgetPage.open(`<form id="form" action="/submit"><button id="send">Send</button></form>
    <input id="email" type="email" name="email" form="form"><input id="note">`);
  await widgetPage.enter('no@example.com');
  await widgetPage.expectState('rejected');
  await page.locator('#send').click();
  await widgetPage.expectSubmissions(0, 1_000);
});

test('leaves an input alone that cannot be used, or whose name or form is ignored', async ({
  page,
  service,
  widgetPage,
}) => {
  const LEFT_ALONE: Record<string, string> = {
    'a disabled input': '<form><input id="alone-0" type="email" disabled></form>',
    'an input in a disabled fieldset':
      '<form><fieldset disabled><input id="alone-1" type="email"></fieldset></form>',
    'a read-only input': '<form><input id="alone-2" type="email" readonly></form>',
    'an input whose name is ignored': '<form><input id="alone-3" type="email" name="skipped"></form>',
    'an input in a form whose name is ignored':
      '<form name="newsletter"><input id="alone-4" type="email"></form>',
  };
  await widgetPage.open(
    `${Object.values(LEFT_ALONE).join('')}<input id="other" type="email"><input id="note">`,
    {
      options: { ignoredInputs: ['skipped'], ignoredForms: ['newsletter'] },
    },
  );
  await eachRow(LEFT_ALONE, async (html) => {
    const alone = page.locator(`#${/alone-\d/.exec(html)}`);
    await alone.evaluate((element) => {
      const input = element as HTMLInputElement;
      input.value = `${input.id}@example.com`;
      input.dispatchEvent(new Event('input', { bubbles: true }));
      input.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await widgetPage.expectNoRequest();
    await expect(alone).not.toHaveAttribute('data-email-verify');
  });
  // Proves that the widget is there: it verifies another input.
  await widgetPage.enter('jane@example.com', page.locator('#other'));
  expect((await service.nextRequest()).email).toBe('jane@example.com');
});

test('verifies an input that is not disabled any more', async ({ service, widgetPage }) => {
  await widgetPage.open('<form><input id="email" type="email" disabled></form><input id="note">');
  await widgetPage.email.evaluate((input) => input.removeAttribute('disabled'));
  await widgetPage.enter('joe@example.com');
  await service.nextRequest();
});

test('monitors the inputs that inputSelector matches', async ({ page, service, widgetPage }) => {
  await widgetPage.open(
    `<input id="email" type="email"><input id="login" class="address" name="login">
     <textarea id="area" class="address"></textarea><input id="note">`,
    { options: { inputSelector: '.address' } },
  );
  await widgetPage.enter('plain@example.com');
  await widgetPage.enter('area@example.com', page.locator('#area'));
  await widgetPage.expectNoRequest();
  await widgetPage.enter('joe@example.com', page.locator('#login'));
  expect((await service.nextRequest()).email).toBe('joe@example.com');
});

test('verifies a value that a password manager fills in with plain events', async ({
  service,
  widgetPage,
}) => {
  await widgetPage.open(FORM);
  await widgetPage.email.evaluate((element) => {
    const input = element as HTMLInputElement;
    input.value = 'filled@example.com';
    for (const type of ['keydown', 'input', 'change', 'keyup', 'blur']) {
      input.dispatchEvent(new Event(type, { bubbles: type !== 'blur' }));
    }
  });
  expect((await service.nextRequest()).email).toBe('filled@example.com');
});

test.describe('in a field of several addresses', () => {
  const MULTIPLE = FORM.replace('type="email"', 'type="email" multiple');

  test('verifies each, and fires one event for the field', async ({ service, widgetPage }) => {
    await widgetPage.open(MULTIPLE);
    await widgetPage.enter('joe@example.com, jane@example.com');
    await widgetPage.expectState('accepted');
    expect([...service.asked].sort()).toEqual(['jane@example.com', 'joe@example.com']);
    expect(await widgetPage.events('verified')).toHaveLength(1);
  });

  test('decides by the first rejected address, and names it in the message', async ({
    service,
    widgetPage,
  }) => {
    service.answer('no@example.com', undeliverable());
    service.answer('nix@example.com', undeliverable());
    await widgetPage.open(MULTIPLE);
    await widgetPage.enter('joe@example.com,no@example.com,nix@example.com');
    const { detail } = await widgetPage.nextEvent('verified');
    expect(detail).toMatchObject({ accepted: false, verificationData: { status: 200 } });
    const { message, verificationData } = detail as { message: string; verificationData: { body: string } };
    expect(message).toContain('no@example.com');
    expect(message).not.toContain('nix@example.com');
    expect(JSON.parse(verificationData.body)).toMatchObject({ email: 'no@example.com' });
    await expect(widgetPage.status).toContainText('no@example.com');
  });

  test('verifies an address that is given twice only once', async ({ service, widgetPage }) => {
    await widgetPage.open(MULTIPLE);
    await widgetPage.enter('joe@example.com,jane@example.com,joe@example.com,joe@EXAMPLE.com');
    await widgetPage.expectState('accepted');
    expect([...service.asked].sort()).toEqual([
      'jane@example.com',
      expect.stringMatching(/^joe@example.com$/i),
    ]);
    expect(await widgetPage.events('verifying')).toHaveLength(2);
  });

  test('verifies none of the others if one cannot be an address', async ({ service, widgetPage }) => {
    await widgetPage.open(MULTIPLE);
    await widgetPage.enter('joe@example.com,nobody');
    const { detail } = await widgetPage.nextEvent('verified');
    expect(detail).toMatchObject({ accepted: false, message: expect.stringContaining('nobody') });
    await widgetPage.expectNoRequest(2_000);
    expect(service.asked).toEqual([]);
  });

  test('ignores one that cannot be an address if undeliverable addresses are allowed', async ({
    service,
    widgetPage,
  }) => {
    service.answer('support@example.com', deliverable({ role: true }));
    await widgetPage.open(MULTIPLE, {
      options: { allow: { states: ['deliverable', 'undeliverable'], role: false } },
    });
    await widgetPage.enter('nobody,support@example.com');
    const { detail } = await widgetPage.nextEvent('verified');
    expect(detail).toMatchObject({
      accepted: false,
      message: expect.stringContaining('support@example.com'),
    });
  });

  test('replaces only the address that a suggestion is for', async ({ service, widgetPage }) => {
    service.answer('no@gmial.com', undeliverable({ did_you_mean: 'no@gmail.com' }));
    await widgetPage.open(MULTIPLE);
    await widgetPage.enter('joe@example.com,no@gmial.com');
    await widgetPage.status.getByRole('button').click();
    await expect(widgetPage.email).toHaveValue(/^joe@example\.com, ?no@gmail\.com$/);
    await widgetPage.expectState('accepted');
    expect(service.asked).toContain('no@gmail.com');
  });
});

test.describe('data-email-verify-… on one form or one input', () => {
  test('takes effect in a form with a control named dataset', async ({ service, widgetPage }) => {
    service.answer('*', deliverable({ free: true }));
    await widgetPage.open(`
      <form data-email-verify-allow='{"free": false}'>
        <input id="email" type="email"><input type="hidden" name="dataset">
      </form>`);
    await widgetPage.enter('a@free.example');
    await widgetPage.expectState('rejected');
  });

  test("overrides an option there, the input's before the form's", async ({ page, service, widgetPage }) => {
    service.answer('*', deliverable({ free: true }));
    await widgetPage.open(`
      <form data-email-verify-allow='{"free": false}' data-email-verify-messages='{"free": "Form says no."}'>
        <input id="email" type="email"><input id="tolerant" type="email" data-email-verify-allow='{"free": true}'>
      </form>
      <input id="elsewhere" type="email"><input id="note">`);
    await widgetPage.enter('a@free.example');
    await widgetPage.enter('b@free.example', page.locator('#tolerant'));
    await widgetPage.enter('c@free.example', page.locator('#elsewhere'));
    await widgetPage.expectState('rejected');
    await widgetPage.expectState('accepted', page.locator('#tolerant'));
    await widgetPage.expectState('accepted', page.locator('#elsewhere'));
    await widgetPage.expectCustomValidity('Form says no.');
  });

  test('is read each time it is needed', async ({ service, widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'paused' });
    await widgetPage.email.evaluate((input) =>
      input.setAttribute('data-email-verify-verify-after-delay', '100'),
    );
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.expectNoRequest(99);
    await widgetPage.pass(1);
    await service.nextRequest();
    await widgetPage.email.evaluate((input) =>
      input.setAttribute('data-email-verify-verify-after-delay', '400'),
    );
    await widgetPage.email.fill('jane@example.com');
    await widgetPage.expectNoRequest(399);
    await widgetPage.pass(1);
    await service.nextRequest();
  });

  test('warns about a wrong value there, and uses the default', async ({ service, widgetPage }) => {
    await widgetPage.open(
      FORM.replace('type="email"', 'type="email" data-email-verify-verify-after-delay="soon"'),
    );
    await widgetPage.enter('joe@example.com');
    await service.nextRequest();
    await expect.poll(() => widgetPage.warnings.join()).toContain('soon');
  });
});
