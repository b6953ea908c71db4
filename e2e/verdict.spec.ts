/** Verdicts: accepted or rejected, with which message and which events. */
import type { VerificationResult } from '../src/protocol/result.ts';
import { DEFAULTS } from '../src/widget/options.ts';
import {
  deliverable,
  eachRow,
  exampleResult,
  expect,
  FORM,
  hang,
  result,
  status,
  TEXTS,
  test,
  undeliverable,
} from './fixtures.ts';

interface Row {
  fields: Partial<VerificationResult>;
  allow?: Record<string, unknown>;
  accepted: boolean;
  message: string;
}

const SUGGESTION = 'joe@gmail.com';
const MEANT = TEXTS.didYouMean.replace('[EMAIL]', SUGGESTION);
const DENY_ALL = { free: false, role: false, disposable: false };

const POLICY: Record<string, Row> = {
  deliverable: { fields: {}, accepted: true, message: '' },
  risky: { fields: { state: 'risky' }, accepted: true, message: '' },
  unknown: { fields: { state: 'unknown' }, accepted: true, message: '' },
  undeliverable: { fields: { state: 'undeliverable' }, accepted: false, message: TEXTS.invalid },
  'a state that is not allowed': {
    fields: { state: 'risky' },
    allow: { states: ['deliverable'] },
    accepted: false,
    message: TEXTS.invalid,
  },
  'undeliverable and allowed': {
    fields: { state: 'undeliverable' },
    allow: { states: ['undeliverable'] },
    accepted: true,
    message: '',
  },
  'undeliverable with a suggestion': {
    fields: { state: 'undeliverable', did_you_mean: SUGGESTION },
    accepted: false,
    message: MEANT,
  },
  disposable: { fields: { disposable: true }, accepted: false, message: TEXTS.disposable },
  'disposable and allowed': {
    fields: { disposable: true },
    allow: { disposable: true },
    accepted: true,
    message: '',
  },
  'disposable and warned of': {
    fields: { disposable: true },
    allow: { disposable: 'warn' },
    accepted: true,
    message: TEXTS.disposable,
  },
  role: { fields: { role: true }, accepted: true, message: '' },
  'role and not allowed': {
    fields: { role: true },
    allow: { role: false },
    accepted: false,
    message: TEXTS.role,
  },
  'role and warned of': {
    fields: { role: true },
    allow: { role: 'warn' },
    accepted: true,
    message: TEXTS.role,
  },
  free: { fields: { free: true }, accepted: true, message: '' },
  'free and not allowed': {
    fields: { free: true },
    allow: { free: false },
    accepted: false,
    message: TEXTS.free,
  },
  'free and warned of': {
    fields: { free: true },
    allow: { free: 'warn' },
    accepted: true,
    message: TEXTS.free,
  },
  'deliverable with a suggestion': {
    fields: { did_you_mean: SUGGESTION },
    accepted: true,
    message: MEANT,
  },
  'free, warned of, with a suggestion': {
    fields: { free: true, did_you_mean: SUGGESTION },
    allow: { free: 'warn' },
    accepted: true,
    message: MEANT,
  },
  'everything at once: the state comes first': {
    fields: { state: 'undeliverable', disposable: true, role: true, free: true },
    allow: DENY_ALL,
    accepted: false,
    message: TEXTS.invalid,
  },
  'disposable comes before role and free': {
    fields: { disposable: true, role: true, free: true },
    allow: DENY_ALL,
    accepted: false,
    message: TEXTS.disposable,
  },
  'role comes before free': {
    fields: { role: true, free: true },
    allow: DENY_ALL,
    accepted: false,
    message: TEXTS.role,
  },
  'a refusal comes before an earlier warning': {
    fields: { role: true, free: true },
    allow: { role: 'warn', free: false },
    accepted: false,
    message: TEXTS.free,
  },
  'the first of several warnings': {
    fields: { disposable: true, role: true, free: true },
    allow: { disposable: 'warn', role: 'warn', free: 'warn' },
    accepted: true,
    message: TEXTS.disposable,
  },
  'disposable with a suggestion is refused as disposable': {
    fields: { disposable: true, did_you_mean: SUGGESTION },
    accepted: false,
    message: TEXTS.disposable,
  },
};

test('accepts or rejects a result, with or without a message', async ({ service, widgetPage }) => {
  await widgetPage.open(FORM);
  await eachRow(POLICY, async ({ fields, allow, accepted, message }, when) => {
    const address = `${when.replaceAll(/\W+/g, '-')}@example.com`;
    service.answer(address, result(fields));
    await widgetPage.enter('');
    await widgetPage.expectState(null);
    await widgetPage.call('allow', { ...DEFAULTS.allow, ...allow });
    await widgetPage.enter(address);
    const verified = await widgetPage.nextEvent('verified');
    expect(verified).toMatchObject({ value: address, detail: { accepted, message } });
    await widgetPage.expectState(accepted ? 'accepted' : 'rejected');
    await widgetPage.expectCustomValidity(accepted ? '' : message);
    await expect(widgetPage.status).toHaveText(message);
  });
});

test.describe('events', () => {
  test('fires verified with the verdict and the text of the response, on the document too', async ({
    service,
    widgetPage,
  }) => {
    // Unusual spacing, because the page gets the text itself.
    const body = JSON.stringify(exampleResult('joe@example.com'), null, 3);
    service.answer('joe@example.com', { ...deliverable(), body });
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example.com');
    expect(await widgetPage.nextEvent('verified')).toEqual({
      type: 'verified',
      on: 'email',
      detail: { accepted: true, message: '', verificationData: { body, status: 200 } },
      isCustomEvent: true,
      bubbles: true,
      composed: true,
      cancelable: false,
      value: 'joe@example.com',
    });
  });

  test('fires error with status and message, which does not bubble', async ({ service, widgetPage }) => {
    service.answer('*', status(429, 'Rate Limit Exceeded'));
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example.com');
    expect(await widgetPage.nextEvent('error')).toMatchObject({
      on: 'email',
      detail: { status: 429, message: 'Rate Limit Exceeded' },
      isCustomEvent: true,
      bubbles: false,
    });
  });

  test('fires verifying before the request, which bubbles and can be cancelled', async ({
    service,
    widgetPage,
  }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example.com');
    expect(await widgetPage.nextEvent('verifying')).toMatchObject({
      on: 'email',
      detail: { email: 'joe@example.com' },
      isCustomEvent: true,
      bubbles: true,
      composed: true,
      cancelable: true,
    });
    await service.nextRequest();
    await widgetPage.nextEvent('verified');
    expect((await widgetPage.events()).map(({ type }) => type)).toEqual(['verifying', 'verified']);
  });

  test('sends, shows and blocks nothing after a cancelled verifying', async ({
    service,
    site,
    widgetPage,
  }) => {
    await widgetPage.open(FORM, {
      after: `document.addEventListener('verifying', function (event) {
        if (event.detail.email.endsWith('@own.example')) event.preventDefault();
      });`,
    });
    await widgetPage.enter('joe@own.example');
    await widgetPage.nextEvent('verifying');
    await widgetPage.expectNoRequest();
    await widgetPage.expectState(null);
    await widgetPage.expectCustomValidity('');
    await widgetPage.send.click();
    await site.submission();
    expect(service.requests).toEqual([]);
    expect(await widgetPage.events('verified')).toEqual([]);
    await widgetPage.enter('joe@example.com');
    await service.nextRequest();
  });

  test('completes the verdict and blocks the form although a listener throws', async ({
    service,
    widgetPage,
  }) => {
    service.answer('no@example.com', undeliverable());
    await widgetPage.open(FORM, {
      after: `['verifying', 'verified'].forEach(function (type) {
        document.addEventListener(type, function () { throw new Error('a listener of the page') });
      });`,
    });
    await widgetPage.enter('no@example.com');
    await widgetPage.expectState('rejected');
    await widgetPage.expectCustomValidity(TEXTS.invalid);
    expect(widgetPage.pageErrors.splice(0)).toHaveLength(2);
  });
});

test.describe('a changed allow', () => {
  test('decides again at once, without another request', async ({ service, widgetPage }) => {
    service.answer('joe@free.example', deliverable({ free: true }));
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@free.example');
    expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: true });
    await widgetPage.call('allow', { free: false });
    expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({
      accepted: false,
      message: TEXTS.free,
    });
    await widgetPage.expectState('rejected');
    await widgetPage.expectCustomValidity(TEXTS.free);
    await widgetPage.call('allow', { free: true });
    expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: true, message: '' });
    await widgetPage.expectCustomValidity('');
    expect(service.requests).toHaveLength(1);
  });

  test('fires no event if the verdict stays the same', async ({ page, service, widgetPage }) => {
    service.answer('joe@free.example', deliverable({ free: true }));
    await widgetPage.open(`${FORM}<input id="second" type="email"><input id="last">`);
    await widgetPage.enter('joe@free.example');
    await widgetPage.enter('jane@work.example', page.locator('#second'));
    await widgetPage.expectState('accepted', page.locator('#second'));
    await widgetPage.expectState('accepted');
    await widgetPage.call('allow', { free: false });
    await widgetPage.expectState('rejected');
    await widgetPage.settle(1_000);
    expect((await widgetPage.events('verified')).filter(({ on }) => on === 'second')).toHaveLength(1);
  });
});

test.describe("emailVerify('verify', input)", () => {
  const VERIFY = `emailVerify('verify', document.getElementById('email'))`;

  test("resolves with the event's detail", async ({ page, service, widgetPage }) => {
    service.answer('no@example.com', undeliverable());
    await widgetPage.open(FORM);
    await widgetPage.email.fill('no@example.com');
    const verdict = await page.evaluate(VERIFY);
    expect(verdict).toEqual((await widgetPage.nextEvent('verified')).detail);
    expect(verdict).toMatchObject({ accepted: false, message: TEXTS.invalid });
  });

  test('verifies a value that only a script has set', async ({ page, service, widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.email.evaluate((input) => {
      (input as HTMLInputElement).value = 'joe@example.com';
    });
    expect(await page.evaluate(VERIFY)).toMatchObject({ accepted: true });
    expect(service.asked).toEqual(['joe@example.com']);
  });

  test('resolves with null if there is nothing to verify', async ({ page, widgetPage }) => {
    await widgetPage.open(`${FORM}<div id="no-input"></div>`);
    expect(await page.evaluate(VERIFY)).toBe(null);
    expect(await page.evaluate(`emailVerify('verify', null)`)).toBe(null);
    expect(await page.evaluate(`emailVerify('verify', document.getElementById('no-input'))`)).toBe(null);
    await widgetPage.expectNoRequest();
  });

  test('resolves with null if the value changes meanwhile', async ({ page, service, widgetPage }) => {
    service.hold();
    await widgetPage.open(FORM);
    await widgetPage.email.fill('joe@example.com');
    await page.evaluate(`void (window.promised = ${VERIFY})`);
    await service.nextRequest();
    await widgetPage.email.fill('jane@example.com');
    expect(await page.evaluate('promised')).toBe(null);
  });

  test('never rejects', async ({ page, service, widgetPage }) => {
    service.answer('*', hang());
    await widgetPage.open(FORM);
    await widgetPage.email.fill('joe@example.com');
    await page.evaluate(`void (window.outcome = '', ${VERIFY}.then(
      function () { outcome = 'settled' }, function () { outcome = 'rejected' }))`);
    await widgetPage.passUntil('error', 8_000);
    await expect.poll(() => page.evaluate('outcome')).toBe('settled');
  });

  test('resolves at once if the result is known', async ({ page, service, widgetPage }) => {
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example.com');
    await widgetPage.expectState('accepted');
    expect(await page.evaluate(VERIFY)).toMatchObject({ accepted: true });
    expect(service.requests).toHaveLength(1);
  });
});

test.describe("emailVerify('destroy')", () => {
  test('restores the page', async ({ page, service, widgetPage }) => {
    const form = FORM.replace('<form', '<form novalidate').replace(
      'type="email"',
      'type="email" aria-describedby="hint" aria-invalid="false" data-own="1"',
    );
    service.answer('no@example.com', undeliverable({ did_you_mean: 'yes@example.com' }));
    await widgetPage.open(`${form}<p id="hint">We never share it.</p>`, {
      options: { resultField: 'verification' },
    });
    await page.evaluate(
      `window.found = document.body.innerHTML.replace('<form id', '<form novalidate="" id')`,
    );
    await widgetPage.enter('no@example.com');
    await widgetPage.expectState('rejected');
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

  test('stops everything', async ({ page, service, widgetPage }) => {
    service.hold();
    await widgetPage.open(FORM);
    await widgetPage.enter('joe@example.com');
    const request = await service.nextRequest();
    await widgetPage.call('destroy');
    await expect.poll(() => request.aborted).toBe(true);
    await widgetPage.enter('jane@example.com');
    await page.locator('#note').press('Enter');
    await widgetPage.expectNoRequest();
    expect((await widgetPage.events()).map(({ type }) => type)).toEqual(['verifying']);
    await expect(widgetPage.status).toHaveCount(0);
    await expect(widgetPage.email).not.toHaveAttribute('data-email-verify');
  });

  test('allows a new start', async ({ page, service, widgetPage }) => {
    await widgetPage.open(FORM, { embed: 'module' });
    await page.evaluate('widget.destroy()');
    await page.evaluate(`import('${service.origin}/v2/index.js').then(function (module) {
      window.widget = module.install({ apiKey: 'second_key', baseUrl: '${service.origin}' });
    })`);
    await widgetPage.enter('joe@example.com');
    expect((await service.nextRequest()).query.api_key).toBe('second_key');
  });
});
