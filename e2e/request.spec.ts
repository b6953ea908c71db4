import { expect, FORM, PUBLIC_KEY, result, test } from './fixtures.ts';

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
  await widgetPage.enterAccepted('joe@example.com');
  await widgetPage.call('method', 'POST');
  await widgetPage.enterAccepted('jane@example.com');
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

test('reads a response of any content type', async ({ service, widgetPage }) => {
  service.answer('*', { ...result(), headers: { 'content-type': 'text/html' } });
  await widgetPage.open(FORM);
  await widgetPage.enterAccepted('joe@example.com');
});
