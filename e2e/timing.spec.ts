/** When an address is verified, and when it is not. */
import { deliverable, eachRow, expect, FORM, rateLimited, TEXTS, test, undeliverable } from './fixtures.ts';

/** Makes a table whose rows are named by their values. */
const named = (values: readonly string[]) => Object.fromEntries(values.map((value) => [value, value]));

test.describe('typing', () => {
  test('an address is verified one second after its last change', async ({ service, widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'paused' });
    await widgetPage.email.pressSequentially('joe@example.co');
    await widgetPage.expectNoRequest(900);
    await widgetPage.email.pressSequentially('m');
    await widgetPage.expectNoRequest(999);
    await widgetPage.pass(1);
    expect((await service.nextRequest()).email).toBe('joe@example.com');
  });

  test('an address is verified at once when the visitor leaves the field', async ({
    service,
    widgetPage,
  }) => {
    await widgetPage.open(FORM, { clock: 'paused' });
    await widgetPage.enter('joe@example.com');
    expect((await service.nextRequest()).email).toBe('joe@example.com');
    await widgetPage.expectNoRequest();
  });

  test('an address is verified at once when the visitor presses Enter', async ({ service, widgetPage }) => {
    await widgetPage.open('<input id="email" type="email">', { clock: 'paused' });
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.email.press('Enter');
    expect((await service.nextRequest()).email).toBe('joe@example.com');
  });

  test('shows that the field waits, then that it verifies, then the verdict', async ({
    service,
    widgetPage,
  }) => {
    service.hold();
    await widgetPage.open(FORM, { clock: 'paused' });
    await expect(widgetPage.email).not.toHaveAttribute('data-email-verify');
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.expectState('waiting');
    await widgetPage.pass(1_000);
    await widgetPage.expectState('verifying');
    await service.nextRequest();
    service.release();
    await widgetPage.expectState('accepted');
  });

  test('ignores spaces around the address', async ({ service, widgetPage }) => {
    await widgetPage.open('<input id="email" type="text"><input id="note">', {
      options: { inputSelector: '#email' },
    });
    await widgetPage.enter('  joe@example.com ');
    expect((await service.nextRequest()).email).toBe('joe@example.com');
    expect((await widgetPage.nextEvent('verifying')).detail).toEqual({ email: 'joe@example.com' });
    await widgetPage.expectState('accepted');
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectNoRequest();
    await widgetPage.expectState('accepted');
  });

  test('removes verdict and message from an empty field', async ({ service, widgetPage }) => {
    service.answer('no@example.com', undeliverable());
    await widgetPage.open(FORM);
    await widgetPage.enter('no@example.com');
    await widgetPage.expectState('rejected');
    await widgetPage.email.fill('');
    await widgetPage.expectState(null);
    await widgetPage.expectCustomValidity('');
    await expect(widgetPage.status).toHaveText('');
    await expect(widgetPage.email).not.toHaveAttribute('aria-invalid');
    await widgetPage.email.press('Tab');
    await widgetPage.expectNoRequest();
    expect(await widgetPage.events('verified')).toHaveLength(1);
  });

  test('voids the verdict at once at any edit', async ({ service, widgetPage }) => {
    service.answer('no@example.com', undeliverable());
    await widgetPage.open(FORM, { clock: 'paused' });
    await widgetPage.enter('no@example.com');
    await widgetPage.expectState('rejected');
    await widgetPage.pass(1);
    await expect(widgetPage.status).toHaveText(TEXTS.invalid);
    await widgetPage.email.press('End');
    await widgetPage.email.press('x');
    await widgetPage.expectState('waiting');
    await widgetPage.expectCustomValidity('');
    await expect(widgetPage.status).toHaveText('');
  });
});

test.describe('a text that cannot be an address', () => {
  const NO_ADDRESSES = [
    'joe',
    'joe@',
    '@example.com',
    'joe@example',
    'joe doe@example.com',
    'joe@exam ple.com',
    'joe@-example.com',
    'joe@example-.com',
    'joe@exa_mple.com',
    'joe@example.com.',
    '"joe doe"@example.com',
    'joe@[127.0.0.1]',
    'a@b@example.com',
    'joe@example..com',
  ];
  test('is rejected at once, without a request', async ({ widgetPage }) => {
    await widgetPage.open('<input id="email" type="text"><input id="note">', {
      options: { inputSelector: '#email' },
    });
    await eachRow(named(NO_ADDRESSES), async (value) => {
      await widgetPage.enter('');
      await widgetPage.expectState(null);
      await widgetPage.enter(value);
      const { detail } = await widgetPage.nextEvent('verified');
      expect(detail).toEqual({
        accepted: false,
        message: TEXTS.invalid,
        verificationData: { status: 0, body: expect.any(String) },
      });
      expect(
        JSON.parse((detail as { verificationData: { body: string } }).verificationData.body),
      ).toMatchObject({
        state: 'undeliverable',
        reason: 'invalid_email',
        email: value,
      });
      await widgetPage.expectState('rejected');
      await widgetPage.expectCustomValidity(TEXTS.invalid);
      // Twice the delay. This also runs every frame of a visible status, so that more time would take longer.
      await widgetPage.expectNoRequest(2_000);
      expect(await widgetPage.events('verifying')).toEqual([]);
    });
  });

  test('has every documented field in its local result', async ({ service, widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example');
    const local = await widgetPage.nextEvent('verified');
    await widgetPage.enter('joe@example.com');
    const sent = await widgetPage.nextEvent('verified');
    const keysOf = ({ detail }: { detail: unknown }) =>
      Object.keys(
        JSON.parse((detail as { verificationData: { body: string } }).verificationData.body),
      ).sort();
    expect(keysOf(local)).toEqual(keysOf(sent));
    expect(service.requests).toHaveLength(1);
  });

  test('is not rejected while the visitor types', async ({ widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'paused' });
    await widgetPage.email.pressSequentially('joe@exam');
    await widgetPage.pass(999);
    await expect(widgetPage.status).toHaveText('');
    expect(await widgetPage.events('verified')).toEqual([]);
    await widgetPage.pass(1);
    await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  });

  test("keeps the browser's own error on an email input", async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter('joe');
    await widgetPage.expectState('rejected');
    expect(
      await widgetPage.email.evaluate((input) => (input as HTMLInputElement).validity.typeMismatch),
    ).toBe(true);
  });
});

test.describe('an address that only the service can judge', () => {
  const ADDRESSES = [
    'jörg@example.com',
    'joe@müller.example',
    'a..b@example.com',
    ".a'b@example.com",
    '用户@例子.广告',
  ];
  test('is sent', async ({ service, widgetPage }) => {
    await widgetPage.open('<input id="email" type="text"><input id="note">', {
      options: { inputSelector: '#email' },
    });
    await eachRow(named(ADDRESSES), async (value) => {
      await widgetPage.enter('');
      await widgetPage.expectState(null);
      await widgetPage.enter(value);
      expect((await service.nextRequest()).email).toBe(value);
      await widgetPage.expectState('accepted');
    });
  });

  test('stays invalid by the browser’s own rule if the service accepts it', async ({
    service,
    widgetPage,
  }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter('jörg@example.com');
    expect((await service.nextRequest()).email).toBe('jörg@example.com');
    await widgetPage.expectState('accepted');
    expect(await widgetPage.validity()).toMatchObject({ valid: false, customError: false });
  });
});

test.describe('an address that already has a verdict', () => {
  test('is not sent again, and its verdict and event are repeated', async ({ service, widgetPage }) => {
    service.answer('no@example.com', undeliverable());
    await widgetPage.open(FORM);
    await widgetPage.enter('no@example.com');
    const first = await widgetPage.nextEvent('verified');
    await widgetPage.enter('joe@example.com');
    await widgetPage.nextEvent('verified');
    await widgetPage.enter('no@example.com');
    expect((await widgetPage.nextEvent('verified')).detail).toEqual(first.detail);
    await widgetPage.expectState('rejected');
    await widgetPage.expectNoRequest(2_000);
    expect(service.asked).toEqual(['no@example.com', 'joe@example.com']);
    expect(await widgetPage.events('verifying')).toHaveLength(2);
  });

  test('is not sent again from another input', async ({ page, service, widgetPage }) => {
    service.answer('no@example.com', undeliverable());
    await widgetPage.open(`${FORM}<input id="second" type="email"><input id="last">`);
    await widgetPage.enter('no@example.com');
    await widgetPage.expectState('rejected');
    await widgetPage.enter('no@example.com', page.locator('#second'));
    await widgetPage.expectState('rejected', page.locator('#second'));
    expect(await widgetPage.events('verified')).toMatchObject([{ on: 'email' }, { on: 'second' }]);
    expect(service.requests).toHaveLength(1);
  });

  test('gets its verdict only once typing has stopped', async ({ widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'paused' });
    await widgetPage.enter('joe@example.com');
    await widgetPage.nextEvent('verified');
    await widgetPage.email.fill('jo@example.com');
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.expectNoRequest(999);
    expect(await widgetPage.events('verified')).toHaveLength(1);
    await widgetPage.pass(1);
    await widgetPage.nextEvent('verified');
  });

  test('does not fire its event again when the field is only entered and left', async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example.com');
    await widgetPage.nextEvent('verified');
    await widgetPage.email.focus();
    await widgetPage.email.press('Tab');
    await widgetPage.expectNoRequest();
    expect(await widgetPage.events('verified')).toHaveLength(1);
  });

  test('is verified again after a failure, because a failure is not a verdict', async ({
    service,
    widgetPage,
  }) => {
    service.answer('joe@example.com', rateLimited(), deliverable());
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example.com');
    await widgetPage.nextEvent('error');
    await widgetPage.enter('jo@example.com');
    await widgetPage.nextEvent('verified');
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectState('accepted');
    expect(service.asked).toEqual(['joe@example.com', 'jo@example.com', 'joe@example.com']);
  });
});

test('sends one request for two inputs with the same new address', async ({ page, service, widgetPage }) => {
  service.hold();
  await widgetPage.open(`${FORM}<input id="second" type="email"><input id="last">`);
  await widgetPage.enter('joe@example.com');
  await widgetPage.enter('joe@example.com', page.locator('#second'));
  await widgetPage.expectState('verifying', page.locator('#second'));
  await widgetPage.expectNoRequest(1_000);
  service.release();
  await widgetPage.expectState('accepted');
  await widgetPage.expectState('accepted', page.locator('#second'));
  expect(service.requests).toHaveLength(1);
  const events = await widgetPage.events();
  expect(events.map(({ type, on }) => `${type} ${on}`).sort()).toEqual([
    'verified email',
    'verified second',
    'verifying email',
    'verifying second',
  ]);
});

test('keeps a shared request if one of its inputs changes', async ({ page, service, widgetPage }) => {
  service.hold('joe@example.com');
  await widgetPage.open(`${FORM}<input id="second" type="email"><input id="last">`);
  await widgetPage.enter('joe@example.com');
  await widgetPage.enter('joe@example.com', page.locator('#second'));
  await widgetPage.expectState('verifying', page.locator('#second'));
  await widgetPage.enter('jane@example.com');
  await widgetPage.expectState('accepted');
  service.release();
  await widgetPage.expectState('accepted', page.locator('#second'));
  expect(service.requests[0]?.aborted).toBe(false);
});

test.describe('a value that changes while its address is being verified', () => {
  test("cancels the older value's request", async ({ service, widgetPage }) => {
    service.hold('old@example.com');
    await widgetPage.open(FORM);
    await widgetPage.enter('old@example.com');
    const old = await service.nextRequest();
    await widgetPage.enter('new@example.com');
    await widgetPage.expectState('accepted');
    await expect.poll(() => old.aborted).toBe(true);
    expect(await widgetPage.events('error')).toEqual([]);
    expect(await widgetPage.events('verified')).toMatchObject([{ value: 'new@example.com' }]);
  });

  test('is not changed by a late response that was not cancelled', async ({ service, widgetPage }) => {
    service.answer('old@example.com', undeliverable());
    service.hold('old@example.com');
    // The page's fetch drops the signal, like some error trackers, so that the widget cannot cancel.
    await widgetPage.open(FORM, { before: 'const native = fetch; window.fetch = (url) => native(url);' });
    await widgetPage.enter('old@example.com');
    await service.nextRequest();
    await widgetPage.enter('new@example.com');
    await widgetPage.nextEvent('verified');
    service.release();
    await widgetPage.settle(1_000);
    await widgetPage.expectState('accepted');
    await widgetPage.expectCustomValidity('');
    expect(await widgetPage.events('verified')).toMatchObject([{ value: 'new@example.com' }]);
  });

  test('by the page is not changed by a late response', async ({ service, widgetPage }) => {
    service.answer('old@example.com', undeliverable());
    service.hold();
    await widgetPage.open(FORM);
    await widgetPage.enter('old@example.com');
    await service.nextRequest();
    await widgetPage.email.evaluate((input) => {
      (input as HTMLInputElement).value = 'set-by-page@example.com';
    });
    service.release();
    await widgetPage.settle(500);
    await widgetPage.expectCustomValidity('');
    await expect(widgetPage.email).not.toHaveAttribute('data-email-verify', 'rejected');
    const verified = await widgetPage.events('verified');
    expect(verified.filter(({ detail }) => (detail as { accepted: boolean }).accepted === false)).toEqual([]);
  });
});

test.describe('verifyOn: blur', () => {
  const options = { verifyOn: 'blur' };

  test('does nothing while the visitor types', async ({ service, widgetPage }) => {
    await widgetPage.open(FORM, { options });
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.expectNoRequest();
    await widgetPage.email.press('Tab');
    await service.nextRequest();
  });

  test('verifies at Enter', async ({ service, widgetPage }) => {
    await widgetPage.open('<input id="email" type="email">', { options });
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.email.press('Enter');
    await service.nextRequest();
  });

  test('uses a known result only at that moment', async ({ widgetPage }) => {
    await widgetPage.open(FORM, { options });
    await widgetPage.enter('joe@example.com');
    await widgetPage.nextEvent('verified');
    await widgetPage.enter('jane@example.com');
    await widgetPage.nextEvent('verified');
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.expectNoRequest();
    expect(await widgetPage.events('verified')).toHaveLength(2);
    await widgetPage.email.press('Tab');
    await widgetPage.nextEvent('verified');
  });
});

test.describe('verifyOn: submit', () => {
  const options = { verifyOn: 'submit' };

  test('does nothing until the visitor submits', async ({ service, site, widgetPage }) => {
    await widgetPage.open(FORM, { options });
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectNoRequest();
    await widgetPage.send.click();
    expect((await service.nextRequest()).email).toBe('joe@example.com');
    expect((await site.submission()).fields).toMatchObject({ email: 'joe@example.com', via: 'button' });
  });

  test('rejects a text that cannot be an address only then', async ({ widgetPage }) => {
    await widgetPage.open(
      '<form id="form" action="/submit"><input id="email"><button id="send">Go</button></form>',
      {
        options: { ...options, inputSelector: '#email' },
      },
    );
    await widgetPage.enter('joe@example');
    await widgetPage.expectNoRequest();
    expect(await widgetPage.events('verified')).toEqual([]);
    await widgetPage.send.click();
    await widgetPage.nextEvent('verified');
    await widgetPage.expectSubmissions(0, 1_000);
  });

  test('verifies at Enter in an input outside a form', async ({ service, widgetPage }) => {
    await widgetPage.open('<input id="email" type="email"><input id="note">', { options });
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectNoRequest();
    await widgetPage.email.press('Enter');
    await service.nextRequest();
  });
});

test('ends a held submission even if a script changes the address twice meanwhile', async ({
  page,
  service,
  site,
  widgetPage,
}) => {
  await widgetPage.sendWhilePending('joe@example.com', FORM, { options: { verifyOn: 'submit' } });
  await page.evaluate(`email.value = 'first@example.com'`);
  await widgetPage.pass(250);
  expect((await service.nextRequest()).email).toBe('first@example.com');
  await page.evaluate(`email.value = 'second@example.com'`);
  await widgetPage.pass(250);
  await widgetPage.expectSubmissions(0, 500);
  expect(service.asked).toEqual(['joe@example.com', 'first@example.com']);
  await widgetPage.pass(500);
  expect((await service.nextRequest()).email).toBe('second@example.com');
  service.release();
  expect((await site.submission()).fields).toEqual({ email: 'second@example.com', note: '', via: 'button' });
});
