/** The file that `debug` loads: where it is looked for, when, and what it is held to. */
import { createHash } from 'node:crypto';
import { dataAttributes, expect, FORM, PUBLIC_KEY, test } from './fixtures.ts';
import type { WidgetPage } from './pages/widget-page.ts';
import { widgetFile } from './widget-files.ts';

const NAME = 'email-verify-widget-debug.js';
const widgetScript = () => widgetFile('/v2/widget.js')!.body;
const SCRIPT = { contentType: 'text/javascript', headers: { 'access-control-allow-origin': '*' } };

/** A page with one tag, which has whatever else is wanted on it. */
const oneTag = (src: string, attributes = '', options: object = { debug: true }) =>
  `<!doctype html><meta charset="utf-8"><title>A page</title>${FORM}
  <script async src="${src}" ${attributes} ${dataAttributes({ apiKey: PUBLIC_KEY, ...options })}></script>`;

const integrity = () =>
  `crossorigin integrity="sha384-${createHash('sha384').update(widgetScript()).digest('base64')}"`;

/** Every address with the file's name that is asked for. */
function requestsOf({ page }: WidgetPage): string[] {
  const requests: string[] = [];
  page.on('request', (request) => {
    if (/debug/.test(request.url())) requests.push(request.url());
  });
  return requests;
}

/** What is logged, but for warnings. */
function linesOf({ page }: WidgetPage): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    if (/^email-verify-widget/.test(message.text()) && message.type() !== 'warning')
      lines.push(message.text());
  });
  return lines;
}

test('where the tag has integrity, the intact file is loaded', async ({ service, widgetPage }) => {
  const lines = linesOf(widgetPage);
  const requests = requestsOf(widgetPage);
  await widgetPage.openDocument(oneTag(`${service.origin}/v2/`, integrity()));
  await widgetPage.email.focus();
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(new Set(requests)).toEqual(new Set([`${service.origin}/v2/${NAME}`]));
  expect(widgetPage.warnings).toEqual([]);
});

test('where the tag has integrity, a file that was tampered with is not run, one warning names it, and the widget works', async ({
  service,
  widgetPage,
}) => {
  await widgetPage.page.route(`**/${NAME}`, (route) =>
    route.fulfill({ ...SCRIPT, body: 'window.tampered = true' }),
  );
  await widgetPage.openDocument(oneTag(`${service.origin}/v2/`, integrity()));
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectState('accepted');
  await expect
    .poll(() => widgetPage.warnings)
    .toEqual([expect.stringContaining(`${service.origin}/v2/${NAME}`)]);
  expect(await widgetPage.page.evaluate('window.tampered')).toBeUndefined();
});

for (const [src, expected] of Object.entries({
  '/v2': '/v2/',
  '/v2/': '/v2/',
  '/v2/widget.js': '/v2/',
  '/v2.0.0/': '/v2.0.0/',
  '/assets/widget.js': '/assets/',
  '/assets/email-verify.min.js?v=3#x': '/assets/',
  '/widget.js': '/',
})) {
  test(`beside ${src} it is looked for in ${expected}`, async ({ service, widgetPage }) => {
    const requests = requestsOf(widgetPage);
    await widgetPage.page.route(/\/(v2|assets|widget|email)[^?]*(\?.*)?$/, (route) =>
      route.fulfill({
        ...SCRIPT,
        body: /debug/.test(route.request().url()) ? 'window.ran = true' : widgetScript(),
      }),
    );
    await widgetPage.openDocument(oneTag(`${service.origin}${src}`));
    await widgetPage.email.focus();
    await widgetPage.page.waitForFunction('window.ran');
    expect(new Set(requests)).toEqual(new Set([`${service.origin}${expected}${NAME}`]));
    expect(widgetPage.warnings).toEqual([]);
  });
}

test('it is not asked for unless debug is set', async ({ service, widgetPage }) => {
  const requests = requestsOf(widgetPage);
  await widgetPage.openDocument(oneTag(`${service.origin}/v2/`, integrity(), {}));
  await widgetPage.enter('joe@example.com');
  await widgetPage.expectState('accepted');
  await widgetPage.settle(1_000);
  expect(requests).toEqual([]);
});
