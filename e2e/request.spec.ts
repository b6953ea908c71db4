/** Requests: their content and their times. For the visitor after a failure, see faults.spec.ts. */

import { deliverable } from '../src/testing/replies.ts';
import {
  eachRow,
  expect,
  FORM,
  hang,
  PUBLIC_KEY,
  result,
  status,
  TEXTS,
  test,
  text,
  tryAgain,
} from './fixtures.ts';

test('sends a plain GET with these parameters and nothing else', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.enter("joe+o'neil@example.com");
  const request = await service.nextRequest();
  expect(request.method).toBe('GET');
  expect(request.path).toBe('/v1/verify');
  expect(request.query).toEqual({ email: "joe+o'neil@example.com", api_key: PUBLIC_KEY, timeout: '5' });
  expect(request.headers).not.toHaveProperty('authorization');
  expect(Object.keys(request.headers).filter((name) => name.startsWith('x-'))).toEqual([]);
});

test('causes no preflight, by GET or by POST', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM);
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectState('accepted');
  await widgetPage.call('method', 'POST');
  await widgetPage.enter('jane@example.com');
  await widgetPage.expectState('accepted');
  expect(service.requests.map((request) => request.method)).toEqual(['GET', 'POST']);
  expect(service.preflights).toEqual([]);
});

test("sends no cookie, not even to the page's own origin", async ({ context, service, site, widgetPage }) => {
  await context.addCookies([
    { name: 'session', value: 'secret', url: site.origin() },
    { name: 'session', value: 'secret', url: service.origin },
  ]);
  await widgetPage.open(FORM, { options: { baseUrl: site.origin() } });
  await widgetPage.enter('joe@example.com');
  expect((await service.nextRequest()).headers.cookie).toBeUndefined();
  await widgetPage.call('baseUrl', service.origin);
  await widgetPage.enter('jane@example.com');
  expect((await service.nextRequest()).headers.cookie).toBeUndefined();
});

test('keeps the address out of the URL with method POST', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM, { options: { method: 'POST' } });
  await widgetPage.enter('joe+tag@example.com');
  const request = await service.nextRequest();
  expect(request.method).toBe('POST');
  expect(request.query).toEqual({});
  expect(request.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded\b/);
  expect(request.body).toEqual({ email: 'joe+tag@example.com', api_key: PUBLIC_KEY, timeout: '5' });
  await widgetPage.expectState('accepted');
});

test('sends verificationTimeout as whole seconds, from 2 to 10', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM);
  const sentFor = { '0.5': '2', '1': '2', '2': '2', '5.9': '5', '10': '10', '11': '10' };
  await eachRow(sentFor, async (sent, given) => {
    await widgetPage.call('verificationTimeout', Number(given));
    await widgetPage.enter(`timeout-${given}@example.com`);
    expect((await service.nextRequest()).query.timeout).toBe(sent);
  });
});

test.describe('249', () => {
  test('is repeated at growing intervals until there is a result', async ({ page, service, widgetPage }) => {
    service.answer('joe@example.com', tryAgain(), tryAgain(), tryAgain(), deliverable());
    await widgetPage.open(FORM, { options: { verificationTimeout: 10 }, clock: 'paused' });
    await widgetPage.enter('joe@example.com');
    // In steps far shorter than an interval: a busy page may handle a response a step later.
    await widgetPage.passUntil('verified', 60_000, 50);
    await widgetPage.expectState('accepted');
    expect(service.requests).toHaveLength(4);
    expect(await widgetPage.events('verifying')).toHaveLength(1);
    expect(await widgetPage.events('error')).toEqual([]);
    const times = await page.evaluate(() => window.e2e.fetchedAt);
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    expect(gaps[0]).toBeGreaterThan(0);
    expect(gaps[1]).toBeGreaterThan(gaps[0]!);
    expect(gaps[2]).toBeGreaterThan(gaps[1]!);
  });

  test('ends as a failure after the time is up, with five requests at most', async ({
    page,
    service,
    site,
    widgetPage,
  }) => {
    service.answer('*', tryAgain('It takes longer.'));
    await widgetPage.open(FORM, { options: { verificationTimeout: 10 }, clock: 'paused' });
    await widgetPage.enter('joe@example.com');
    expect((await widgetPage.passUntil('error')).detail).toEqual({
      status: 249,
      message: 'It takes longer.',
    });
    const times = await page.evaluate(() => window.e2e.fetchedAt);
    expect(times.length).toBeGreaterThan(1);
    expect(times.length).toBeLessThanOrEqual(5);
    expect(times.at(-1)! - times[0]!).toBeLessThanOrEqual(10_000);
    await widgetPage.expectNoRequest();
    expect(site.submissions).toEqual([]);
  });

  test('is not repeated after the visitor has changed the value', async ({ service, widgetPage }) => {
    service.answer('slow@example.com', tryAgain());
    await widgetPage.open(FORM);
    await widgetPage.enter('slow@example.com');
    await service.nextRequest();
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectState('accepted');
    const asked = service.asked.length;
    await widgetPage.settle();
    expect(service.asked.slice(asked)).toEqual([]);
  });
});

test.describe('captcha', () => {
  test('gets a new token for every request from a function, even after a 249', async ({
    service,
    widgetPage,
  }) => {
    service.answer('joe@example.com', tryAgain(), deliverable());
    await widgetPage.open(FORM, {
      after: `var count = 0;
        emailVerify('captcha', function (input) { count += 1; return input.id + '-' + count; });`,
    });
    await widgetPage.enter('joe@example.com');
    await widgetPage.passUntil('verified');
    await widgetPage.enter('jane@example.com');
    await widgetPage.passUntil('verified');
    expect(service.requests.map((request) => request.query.captcha_response)).toEqual([
      'email-1',
      'email-2',
      'email-3',
    ]);
  });

  test('waits for the promise of a function', async ({ page, service, widgetPage }) => {
    await widgetPage.open(FORM, {
      options: { method: 'POST' },
      after: `emailVerify('captcha', function () { return new Promise(function (resolve) { window.giveToken = resolve }) });`,
    });
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectState('verifying');
    expect(service.requests).toHaveLength(0);
    await page.evaluate("giveToken('later')");
    expect((await service.nextRequest()).body.captcha_response).toBe('later');
  });

  test('reads the token from the element that a selector names', async ({ page, service, widgetPage }) => {
    await widgetPage.open(`${FORM}<textarea id="token" hidden>first</textarea>`, {
      options: { captcha: '#token' },
    });
    await widgetPage.enter('joe@example.com');
    expect((await service.nextRequest()).query.captcha_response).toBe('first');
    await page.evaluate(() => {
      (document.getElementById('token') as HTMLTextAreaElement).value = 'second';
    });
    await widgetPage.enter('jane@example.com');
    expect((await service.nextRequest()).query.captcha_response).toBe('second');
  });

  test('waits for an element without a token', async ({ page, service, widgetPage }) => {
    await widgetPage.open(`${FORM}<textarea id="token" hidden></textarea>`, {
      options: { captcha: '#token' },
    });
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectState('verifying');
    await widgetPage.settle(4_000);
    expect(service.requests).toEqual([]);
    await page.evaluate(() => {
      (document.getElementById('token') as HTMLTextAreaElement).value = 'solved';
    });
    await widgetPage.pass(500);
    expect((await service.nextRequest()).query.captcha_response).toBe('solved');
    await widgetPage.expectState('accepted');
  });

  test('fires an error without a token, and lets the visitor go on', async ({
    page,
    service,
    site,
    widgetPage,
  }) => {
    const captchas = {
      'gives an empty token': `function () { return '' }`,
      throws: `function () { throw new Error('no captcha') }`,
      rejects: `function () { return Promise.reject(new Error('no captcha')) }`,
      'never answers': 'function () { return new Promise(function () {}) }',
    };
    await widgetPage.open(FORM);
    let sent = 0;
    await eachRow(captchas, async (captcha, what) => {
      await widgetPage.enter('');
      await widgetPage.expectState(null);
      await page.evaluate(`emailVerify('captcha', ${captcha})`);
      await widgetPage.enter(`${what.replaceAll(' ', '-')}@example.com`);
      const { detail } = await widgetPage.passUntil('error', 8_000);
      expect(detail).toEqual({ status: 0, message: expect.stringMatching(/\S/) });
      await widgetPage.expectState('error');
      await widgetPage.expectCustomValidity('');
      expect(service.requests).toEqual([]);
      await widgetPage.send.click();
      // The widget requests a token once more before the submission.
      await widgetPage.passUntil('error', 8_000);
      sent += 1;
      await site.submission(sent);
    });
  });
});

test('cancels a request without a response after verificationTimeout seconds', async ({
  service,
  widgetPage,
}) => {
  service.answer('*', hang());
  await widgetPage.open(FORM, { options: { verificationTimeout: 3 }, clock: 'paused' });
  await widgetPage.enter('joe@example.com');
  const request = await service.nextRequest();
  await widgetPage.settle(2_900);
  expect(await widgetPage.events('error')).toEqual([]);
  await widgetPage.expectState('verifying');
  await widgetPage.pass(400);
  await widgetPage.nextEvent('error');
  await expect.poll(() => request.aborted).toBe(true);
});

test('repeats no request by itself after a failure, but verifies after a change', async ({
  service,
  widgetPage,
}) => {
  service.answer('joe@example.com', status(503, 'Back soon'), deliverable());
  await widgetPage.open(FORM);
  await widgetPage.enter('joe@example.com');
  await widgetPage.nextEvent('error');
  await widgetPage.expectNoRequest(60_000);
  await widgetPage.email.fill('joe@example.co');
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectState('accepted');
});

test('verifies again at the next submission after a failure', async ({ service, site, widgetPage }) => {
  service.answer('joe@example.com', status(503), deliverable());
  await widgetPage.open(FORM);
  await widgetPage.enter('joe@example.com');
  await widgetPage.nextEvent('error');
  await widgetPage.send.click();
  await widgetPage.nextEvent('verified');
  await site.submission();
  expect(service.requests).toHaveLength(2);
});

test('treats an attribute of a wrong type as absent', async ({ service, widgetPage }) => {
  const body = { state: 'deliverable', did_you_mean: 42, disposable: 'yes', free: 1, role: {} };
  service.answer('*', text(JSON.stringify(body)));
  await widgetPage.open(FORM, { options: { allow: { free: false, role: false } } });
  await widgetPage.enter('joe@example.com');
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: true, message: '' });
});

test('accepts a result with a state only', async ({ service, widgetPage }) => {
  service.answer('*', text('{"state":"undeliverable"}', 'text/plain'));
  await widgetPage.open(FORM);
  await widgetPage.enter('joe@example.com');
  expect((await widgetPage.nextEvent('verified')).detail).toEqual({
    accepted: false,
    message: TEXTS.invalid,
    verificationData: { status: 200, body: '{"state":"undeliverable"}' },
  });
});

test('cancels the requests of a page that is left, without an error', async ({
  page,
  service,
  site,
  widgetPage,
}) => {
  service.hold();
  await widgetPage.open(FORM, {
    before: `addEventListener('error', function (event) {
      if (event.detail) sessionStorage.setItem('failure', 'reported');
    }, true);`,
  });
  await widgetPage.enter('joe@example.com');
  const request = await service.nextRequest();
  await page.goto(site.origin() + site.html('<!doctype html><title>Next</title>'));
  await expect.poll(() => request.aborted).toBe(true);
  expect(await page.evaluate(() => sessionStorage.getItem('failure'))).toBe(null);
});

test('reads a response of any content type', async ({ service, widgetPage }) => {
  service.answer('*', { ...result(), headers: { 'content-type': 'text/html' } });
  await widgetPage.open(FORM);
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectState('accepted');
});
