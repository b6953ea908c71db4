/** When an address is verified, and when it is not. */
import { deliverable, eachRow, expect, FORM, rateLimited, TEXTS, test, undeliverable } from './fixtures.ts';

/** Rows that are their own names. */
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

  test('the field shows that it waits, then that it verifies, then the verdict', async ({
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

  test('spaces around the address do not count', async ({ service, widgetPage }) => {
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

  test('an empty field is clear of verdict and message', async ({ service, widgetPage }) => {
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

  test('any edit voids the verdict at once', async ({ service, widgetPage }) => {
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

test.describe('what cannot be an address', () => {
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
  test('is rejected on the spot, without a request', async ({ widgetPage }) => {
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
      // Twice the delay. Every frame that a status is shown for is run, too: more would take its time.
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

  test('is not judged while the visitor is still typing', async ({ widgetPage }) => {
    await widgetPage.open(FORM, { clock: 'paused' });
    await widgetPage.email.pressSequentially('joe@exam');
    await widgetPage.pass(999);
    await expect(widgetPage.status).toHaveText('');
    expect(await widgetPage.events('verified')).toEqual([]);
    await widgetPage.pass(1);
    await expect(widgetPage.status).toHaveText(TEXTS.invalid);
  });

  test("keeps the browser's own complaint on an email input", async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter('joe');
    await widgetPage.expectState('rejected');
    expect(
      await widgetPage.email.evaluate((input) => (input as HTMLInputElement).validity.typeMismatch),
    ).toBe(true);
  });
});

test.describe('what only the service can judge', () => {
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

  test('and an accepted one that the browser refuses stays refused by the browser alone', async ({
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
  test('is not sent again, and its verdict and event come again', async ({ service, widgetPage }) => {
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

  test('is judged only once typing has stopped', async ({ widgetPage }) => {
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

  test('is not judged again when the field is merely entered and left', async ({ widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example.com');
    await widgetPage.nextEvent('verified');
    await widgetPage.email.focus();
    await widgetPage.email.press('Tab');
    await widgetPage.expectNoRequest();
    expect(await widgetPage.events('verified')).toHaveLength(1);
  });

  test('that failed is asked again, since a failure is no verdict', async ({ service, widgetPage }) => {
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

test('two inputs with the same new address share one request', async ({ page, service, widgetPage }) => {
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

test('an input that moves on does not take a shared request away from the other', async ({
  page,
  service,
  widgetPage,
}) => {
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

  test('is never touched by the late answer, should the request have got through', async ({
    service,
    widgetPage,
  }) => {
    service.answer('old@example.com', undeliverable());
    service.hold('old@example.com');
    // As some error trackers do, the page's own fetch forgets the signal: nothing can be cancelled.
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

  test('by the page is not touched by the late answer either', async ({ service, widgetPage }) => {
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

  test('nothing happens while the visitor types', async ({ service, widgetPage }) => {
    await widgetPage.open(FORM, { options });
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.expectNoRequest();
    await widgetPage.email.press('Tab');
    await service.nextRequest();
  });

  test('Enter verifies', async ({ service, widgetPage }) => {
    await widgetPage.open('<input id="email" type="email">', { options });
    await widgetPage.email.fill('joe@example.com');
    await widgetPage.email.press('Enter');
    await service.nextRequest();
  });

  test('a remembered answer waits for that moment too', async ({ widgetPage }) => {
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

  test('nothing happens until the visitor tries to submit', async ({ service, site, widgetPage }) => {
    await widgetPage.open(FORM, { options });
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectNoRequest();
    await widgetPage.send.click();
    expect((await service.nextRequest()).email).toBe('joe@example.com');
    expect((await site.submission()).fields).toMatchObject({ email: 'joe@example.com', via: 'button' });
  });

  test('what cannot be an address is not judged before either', async ({ widgetPage }) => {
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

  test('Enter in an input outside a form is such an attempt', async ({ service, widgetPage }) => {
    await widgetPage.open('<input id="email" type="email"><input id="note">', { options });
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectNoRequest();
    await widgetPage.email.press('Enter');
    await service.nextRequest();
  });
});

test('a held submission still ends when a script changes the address twice meanwhile', async ({
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
