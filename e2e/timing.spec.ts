/** When an address is verified, and when it is not. */
import { expect, FORM, test } from './fixtures.ts';

test('verifies an address at once when the visitor leaves the field', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM, { clock: 'paused' });
  await widgetPage.enter('joe@example.com');
  expect((await service.nextRequest()).email).toBe('joe@example.com');
  await widgetPage.expectNoRequest();
});

test('verifies an address at once when the visitor presses Enter', async ({ service, widgetPage }) => {
  await widgetPage.open('<input id="email" type="email">', { clock: 'paused' });
  await widgetPage.email.fill('joe@example.com');
  await widgetPage.email.press('Enter');
  expect((await service.nextRequest()).email).toBe('joe@example.com');
});

test('keeps the browser’s own error on a text that cannot be an address', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.enterRejected('joe');
  expect(await widgetPage.email.evaluate((input) => (input as HTMLInputElement).validity.typeMismatch)).toBe(
    true,
  );
});

test('leaves an address invalid by the browser’s rule if the service accepts it', async ({ widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.enter('jörg@example.com');
  expect((await widgetPage.service.nextRequest()).email).toBe('jörg@example.com');
  await widgetPage.expectState('accepted');
  expect(await widgetPage.validity()).toMatchObject({ valid: false, customError: false });
});

test('ends a held submission even if a script changes its address twice', async ({ service, widgetPage }) => {
  await widgetPage.sendWhilePending('joe@example.com', FORM, {
    clock: 'paused',
    options: { verifyOn: 'submit' },
  });
  await widgetPage.page.evaluate(`email.value = 'first@example.com'`);
  await widgetPage.pass(250);
  expect((await service.nextRequest()).email).toBe('first@example.com');
  await widgetPage.page.evaluate(`email.value = 'second@example.com'`);
  await widgetPage.pass(250);
  await widgetPage.expectSubmissions(0, 500);
  expect(service.asked).toEqual(['joe@example.com', 'first@example.com']);
  await widgetPage.pass(500);
  expect((await service.nextRequest()).email).toBe('second@example.com');
  service.release();
  await widgetPage.passUntil('verified');
  await widgetPage.pass(250);
  expect(await widgetPage.sent()).toEqual({ email: 'second@example.com', note: '', via: 'button' });
});
