/** The files that the script loads, for `debug` and as its face: their URLs, the moment of loading, and their integrity. */
import { createHash } from 'node:crypto';
import { dataAttributes, expect, FORM, PUBLIC_KEY, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';
import { builtVersion, faceScript, widgetScript } from './widget-files.ts';

const NAME = 'email-verify-widget-debug.js';
const FACE = `email-verify-widget-status.js?v=${builtVersion()}`;
const SCRIPT = { contentType: 'text/javascript', headers: { 'access-control-allow-origin': '*' } };

/** A page with one tag, which has these attributes and options. */
const oneTag = (src: string, attributes = '', options: object = { debug: true }) =>
  `<!doctype html><meta charset="utf-8"><title>A page</title>${FORM}
  <script async src="${src}" ${attributes} ${dataAttributes({ apiKey: PUBLIC_KEY, ...options })}></script>`;

const integrity = () =>
  `crossorigin integrity="sha384-${createHash('sha384').update(widgetScript()).digest('base64')}"`;

/** Every requested URL with the file's name. */
function requestsOf({ page }: WidgetPage): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    if (/debug|status/.test(request.url())) requests.push(request.url());
  });
  return requests;
}

/** The logged lines, without warnings. */
function linesOf({ page }: WidgetPage): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    if (/^email-verify-widget/.test(message.text()) && message.type() !== 'warning')
      lines.push(message.text());
  });
  return lines;
}

test('loads the intact file if the tag has integrity', async ({ service, widgetPage }) => {
  const lines = linesOf(widgetPage);
  const requests = requestsOf(widgetPage);
  await widgetPage.openDocument(oneTag(`${service.origin}/v2/`, integrity()));
  await widgetPage.email.focus();
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  await expect
    .poll(() => new Set(requests))
    .toEqual(new Set([NAME, FACE].map((name) => `${service.origin}/v2/${name}`)));
  expect(widgetPage.warnings).toEqual([]);
});

test('warns once of a tampered file and does not run it, and the widget works', async ({ widgetPage }) => {
  await widgetPage.page.route(`**/${NAME}`, (route) =>
    route.fulfill({ ...SCRIPT, body: 'window.tampered = true' }),
  );
  await widgetPage.openDocument(oneTag(`${widgetPage.service.origin}/v2/`, integrity()));
  await widgetPage.enterAccepted('joe@example.com');
  await expect
    .poll(() => widgetPage.warnings)
    .toEqual([expect.stringContaining(`${widgetPage.service.origin}/v2/${NAME}`)]);
  expect(await widgetPage.page.evaluate('window.tampered')).toBeUndefined();
});

for (const [src, expected] of Object.entries({
  '/v2': '/v2/',
  '/v2/': '/v2/',
  '/v2/widget.js': '/v2/',
  '/v2/?from=cdn.js': '/v2/',
  '/v2.0.0/': '/v2.0.0/',
  '/assets/widget.js': '/assets/',
  '/assets/email-verify.min.js?v=3#x': '/assets/',
  '/widget.js': '/',
})) {
  test(`loads both from ${expected} if the script is ${src}`, async ({ service, widgetPage }) => {
    const requests = requestsOf(widgetPage);
    await widgetPage.page.route(/\/(v2|assets|widget|email)[^?]*(\?.*)?$/, (route) =>
      route.fulfill({
        ...SCRIPT,
        body: /debug/.test(route.request().url())
          ? 'window.ran = true'
          : /status/.test(route.request().url())
            ? faceScript()
            : widgetScript(),
      }),
    );
    await widgetPage.openDocument(oneTag(`${service.origin}${src}`));
    await widgetPage.email.focus();
    await widgetPage.page.waitForFunction('window.ran');
    await expect(widgetPage.status).toHaveCount(1);
    expect(new Set(requests)).toEqual(new Set([NAME, FACE].map((name) => service.origin + expected + name)));
    expect(widgetPage.warnings).toEqual([]);
  });
}

test('does not load it unless debug is set', async ({ service, widgetPage }) => {
  const requests = requestsOf(widgetPage);
  await widgetPage.openDocument(oneTag(`${service.origin}/v2/`, integrity(), {}));
  await widgetPage.enterAccepted('joe@example.com');
  await widgetPage.settle(1_000);
  expect(requests.filter((url) => url.includes(NAME))).toEqual([]);
});

test('loads the face under a policy of nonces, with its hash, without integrity', async ({ widgetPage }) => {
  const policy = `default-src 'none'; script-src 'nonce-n1'; connect-src ${widgetPage.service.origin}; require-trusted-types-for 'script'`;
  const html = oneTag(`${widgetPage.service.origin}/v2/`, 'nonce="n1"', {});
  await widgetPage.openDocument(html, { headers: { 'content-security-policy': policy } });
  await widgetPage.email.focus();
  await expect(widgetPage.status).toHaveCount(1);
  expect(await widgetPage.violations()).toEqual([]);

  widgetPage.service.face = 'changed';
  await widgetPage.openDocument(html, { headers: { 'content-security-policy': policy } });
  await widgetPage.enterAccepted('joe@example.com');
  await expect.poll(() => widgetPage.warnings).toEqual([expect.stringContaining(FACE)]);
  expect(await widgetPage.page.evaluate('window.tampered')).toBeUndefined();
  await expect(widgetPage.status).toHaveCount(0);
});
