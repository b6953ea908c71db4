/** The built widget and the real service together, on two origins, as visitors use them. */
import { test as base, eachRow, expect, FORM, PATIENT, TEXTS } from './fixtures.ts';
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

const TEST_ADDRESSES: Record<
  string,
  { options?: Record<string, unknown>; accepted: boolean; message: string; fields: object }
> = {
  deliverable: { accepted: true, message: '', fields: { state: 'deliverable' } },
  undeliverable: { accepted: false, message: TEXTS.invalid, fields: { state: 'undeliverable' } },
  risky: { accepted: true, message: '', fields: { state: 'risky' } },
  'risky, on a stricter page': {
    options: { allow: { states: ['deliverable'] } },
    accepted: false,
    message: TEXTS.invalid,
    fields: { state: 'risky' },
  },
  unknown: { accepted: true, message: '', fields: { state: 'unknown' } },
  'role, on a stricter page': {
    options: STRICT,
    accepted: false,
    message: TEXTS.role,
    fields: { role: true },
  },
  'free, on a stricter page': {
    options: STRICT,
    accepted: false,
    message: TEXTS.free,
    fields: { free: true },
  },
  'accept-all': { accepted: true, message: '', fields: { accept_all: true } },
  disposable: { accepted: false, message: TEXTS.disposable, fields: { disposable: true } },
};
test('accepts test addresses, or rejects them with their message', async ({ realService, widgetPage }) => {
  let sent = 0;
  await eachRow(TEST_ADDRESSES, async ({ options = {}, accepted, message, fields }, name) => {
    const address = `${name.split(',')[0]}@example.com`;
    await widgetPage.open(FORM, open(realService, options));
    await widgetPage.enter(address);
    const { detail } = await widgetPage.nextEvent('verified');
    expect(detail).toMatchObject({ accepted, message, verificationData: { status: 200 } });
    const { body } = (detail as { verificationData: { body: string } }).verificationData;
    expect(JSON.parse(body)).toMatchObject({ email: address, ...fields });
    await expect(widgetPage.status).toHaveText(message);
    await widgetPage.send.click();
    if (accepted) {
      sent += 1;
      expect(await widgetPage.sent(sent)).toMatchObject({ email: address });
    } else await widgetPage.expectSubmissions(sent, 500);
  });
});

test('ends slow@example.com as an error, and the visitor may go on', async ({ realService, widgetPage }) => {
  // The widget ends it after five tries. Less time would be over before the service's answers come on a busy machine.
  await widgetPage.open(FORM, open(realService, PATIENT.options));
  // Then the page's time may run ahead of the service.
  const answered = widgetPage.page.waitForResponse(/\/v1\/verify/);
  await widgetPage.enter('slow@example.com');
  await answered;
  expect((await widgetPage.passUntil('error', 20_000)).detail).toMatchObject({
    status: 249,
    message: expect.stringMatching(/\S/),
  });
  await widgetPage.expectCustomValidity('');
  await widgetPage.send.click();
  for (let step = 0; step < 100 && widgetPage.site.submissions.length === 0; step++)
    await widgetPage.settle(50);
  await widgetPage.sent();
});

test('suggests the right domain for a misspelt one, and takes it', async ({ realService, widgetPage }) => {
  await widgetPage.open(FORM, open(realService));
  await widgetPage.enter('someone@gmial.com');
  await widgetPage.status.getByRole('button').click();
  await expect(widgetPage.email).toHaveValue('someone@gmail.com');
});

test('works with POST as with GET', async ({ realService, widgetPage }) => {
  await widgetPage.open(FORM, open(realService, { method: 'POST' }));
  await widgetPage.enter('undeliverable@example.com');
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: false });
});

test('works on a subdomain of a trusted domain', async ({ realService, widgetPage }) => {
  await widgetPage.open(FORM, { ...open(realService), host: 'shop.trusted.test' });
  await widgetPage.enter('undeliverable@example.com');
  expect((await widgetPage.nextEvent('verified')).detail).toMatchObject({ accepted: false });
});

test('fires an error on a page not trusted, which can still submit', async ({ realService, widgetPage }) => {
  const hosts = {
    'an address': '127.0.0.1',
    'a name that begins like a trusted one': 'trusted.test.evil.test',
    'another name': 'untrusted.test',
  } as const;
  let sent = 0;
  await eachRow(hosts, async (host) => {
    await widgetPage.open(FORM, { ...open(realService), host });
    await widgetPage.enter('undeliverable@example.com');
    const event = await widgetPage.nextEvent('error');
    expect(event.detail).toEqual({ status: expect.any(Number), message: expect.stringMatching(/\S/) });
    expect(await widgetPage.events('verified')).toEqual([]);
    await widgetPage.expectCustomValidity('');
    await widgetPage.send.click();
    sent += 1;
    expect(await widgetPage.sent(sent)).toMatchObject({ email: 'undeliverable@example.com', via: 'button' });
  });
});

test('serves the release that a page requires by its integrity', async ({ realService, widgetPage }) => {
  const { version, integrity } = (await (await fetch(`${realService.origin}/v2/integrity.json`)).json()) as {
    version: string;
    integrity: Record<string, string>;
  };
  const tag = (value: string) => `<script async src="${realService.origin}/v${version}/" integrity="${value}"
    crossorigin="anonymous" data-api-key="${KEY}"></script>`;
  await widgetPage.openDocument(`<!doctype html><title>A page</title>${tag(integrity['widget.js']!)}${FORM}`);
  await widgetPage.enterRejected('undeliverable@example.com');
  expect(await widgetPage.page.evaluate('emailVerify.version')).toBe(version);

  // The browser does not run another script in its place, and the form works as without the widget.
  await widgetPage.openDocument(
    `<!doctype html><title>A page</title>${tag(`sha384-${'A'.repeat(64)}`)}${FORM}`,
  );
  await widgetPage.email.fill('undeliverable@example.com');
  await widgetPage.send.click();
  await widgetPage.sent();
});
