/** The built widget and the real service together, on two origins, as a visitor meets them. */
import { test as base, expect, FORM, TEXTS } from './fixtures.ts';
import { type RunningService, startService } from './pages/service-process.ts';

const KEY = 'test_public_e2e';

const test = base.extend<{ realService: RunningService }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern.
  realService: async ({}, use, testInfo) => {
    const config = { keys: [{ key: KEY, kind: 'public', trustedDomains: ['localhost', 'trusted.test'] }] };
    const service = await startService(config, testInfo.outputPath('service.json'));
    await use(service);
    await service.stop();
  },
});

const open = (realService: RunningService, options: Record<string, unknown> = {}) => ({
  serviceOrigin: realService.origin,
  options: { apiKey: KEY, ...options },
});

const STRICT = {
  allow: { states: ['deliverable', 'risky', 'unknown'], free: false, role: false, disposable: false },
};

const TEST_ADDRESSES: [
  local: string,
  options: Record<string, unknown>,
  accepted: boolean,
  message: string,
  fields: object,
][] = [
  ['deliverable', {}, true, '', { state: 'deliverable' }],
  ['undeliverable', {}, false, TEXTS.invalid, { state: 'undeliverable' }],
  ['risky', {}, true, '', { state: 'risky' }],
  ['risky', { allow: { states: ['deliverable'] } }, false, TEXTS.invalid, { state: 'risky' }],
  ['unknown', {}, true, '', { state: 'unknown' }],
  ['role', STRICT, false, TEXTS.role, { role: true }],
  ['free', STRICT, false, TEXTS.free, { free: true }],
  ['disposable', {}, false, TEXTS.disposable, { disposable: true }],
];
for (const [local, options, accepted, message, fields] of TEST_ADDRESSES) {
  const told = accepted ? 'accepted' : `rejected with “${message}”`;
  test(`${local}@example.com is ${told}${Object.keys(options).length ? ' by a stricter page' : ''}`, async ({
    realService,
    site,
    widgetPage,
  }) => {
    await widgetPage.open(FORM, open(realService, options));
    await widgetPage.enter(`${local}@example.com`);
    const { detail } = await widgetPage.nextEvent('verified');
    expect(detail).toMatchObject({ accepted, message, verificationData: { status: 200 } });
    const { body } = (detail as { verificationData: { body: string } }).verificationData;
    expect(JSON.parse(body)).toMatchObject({ email: `${local}@example.com`, ...fields });
    await expect(widgetPage.status).toHaveText(message);
    await widgetPage.send.click();
    if (accepted) expect((await site.submission()).fields).toMatchObject({ email: `${local}@example.com` });
    else await widgetPage.expectSubmissions(0, 500);
  });
}

test('accept-all@example.com is told as such', async ({ realService, widgetPage }) => {
  await widgetPage.open(FORM, open(realService));
  await widgetPage.enter('accept-all@example.com');
  const { detail } = await widgetPage.nextEvent('verified');
  const { body } = (detail as { verificationData: { body: string } }).verificationData;
  expect(JSON.parse(body)).toMatchObject({ accept_all: true });
});

test('slow@example.com ends as an error, and the visitor may go on', async ({
  realService,
  site,
  widgetPage,
}) => {
  await widgetPage.open(FORM, open(realService, { verificationTimeout: 2 }));
  await widgetPage.enter('slow@example.com');
  expect((await widgetPage.passUntil('error', 20_000)).detail).toMatchObject({
    status: 249,
    message: expect.stringMatching(/\S/),
  });
  await widgetPage.expectCustomValidity('');
  await widgetPage.send.click();
  for (let step = 0; step < 100 && site.submissions.length === 0; step++) await widgetPage.settle(50);
  await site.submission();
});

test('a misspelt domain is suggested right, and the suggestion can be taken', async ({
  realService,
  widgetPage,
}) => {
  await widgetPage.open(FORM, open(realService));
  await widgetPage.enter('someone@gmial.com');
  await widgetPage.status.getByRole('button').click();
  await expect(widgetPage.email).toHaveValue('someone@gmail.com');
});

test('POST works as well as GET', async ({ realService, widgetPage }) => {
  await widgetPage.open(FORM, open(realService, { method: 'POST' }));
  await widgetPage.enter('undeliverable@example.com');
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: false });
});

test('a subdomain of a trusted domain works', async ({ realService, widgetPage }) => {
  await widgetPage.open(FORM, { ...open(realService), host: 'shop.trusted.test' });
  await widgetPage.enter('undeliverable@example.com');
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: false });
});

for (const host of ['127.0.0.1', 'trusted.test.evil.test', 'untrusted.test'] as const) {
  test(`a page on ${host}, which is not trusted, gets an error, and the visitor can still submit`, async ({
    realService,
    site,
    widgetPage,
  }) => {
    await widgetPage.open(FORM, { ...open(realService), host });
    await widgetPage.enter('undeliverable@example.com');
    const event = await widgetPage.nextEvent('error');
    expect(event.detail).toEqual({ status: expect.any(Number), message: expect.stringMatching(/\S/) });
    expect(await widgetPage.events('verified')).toEqual([]);
    await widgetPage.expectCustomValidity('');
    await widgetPage.send.click();
    expect((await site.submission()).fields).toMatchObject({
      email: 'undeliverable@example.com',
      via: 'button',
    });
  });
}
