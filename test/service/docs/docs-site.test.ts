/** The pages below `/docs/`, as every web process serves them. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createService } from '../../../src/service/app/web.ts';
import { type ServiceChanges, withSettings } from '../support/deps.ts';
import { DOCS, SITE } from '../support/docs.ts';
import { KEYS } from '../testing.ts';

function open(options: ServiceChanges = {}) {
  const app = createService({ keys: KEYS, docs: DOCS, ...withSettings(options) });
  onTestFinished(() => app.close());
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
  return { app, get };
}

/** What a reader sees between the tags. */
const textOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
const hrefsIn = (html: string) => [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, href]) => href!);
const PAGES = SITE.index.sections.flatMap(({ pages }) => pages);
const MADE = PAGES.filter(({ source }) => source !== undefined);

it('frames every page of the index, under the policy of pages', async () => {
  const { get } = open();
  for (const { url, title } of MADE) {
    const { statusCode, headers, body } = await get(url);
    expect([statusCode, headers['content-type']], url).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(body).toContain(`<a href="${url}" aria-current="page">`);
    expect(textOf(body)).toContain(title);
    expect(body.match(/<h1/g)).toHaveLength(1);
    expect(body).not.toMatch(/<[^>]* (style|on\w+)=|<script>|<style/i);
  }
});

it('leads from the first page to every other, to the API and to the search', async () => {
  const { get } = open({ referenceFolder: 'demo', demoFolder: 'demo' });
  const { body } = await get('/docs/');
  expect(hrefsIn(body)).toEqual(expect.arrayContaining(PAGES.map(({ url }) => url)));
  expect(body).toContain('role="search" action="/docs/search"');
});

it('names the reference of the module, and the demo’s page, only if they are there', async () => {
  expect((await open().get('/docs/')).body).not.toContain('/debug/');
  expect((await open().get('/docs/')).body).not.toContain('/reference/');
  expect((await open({ referenceFolder: 'demo' }).get('/docs/')).body).toContain('href="/reference/"');
});

it('leads to the pages before and after, and to the source', async () => {
  const { get } = open();
  const { body } = await get('/docs/batch/');
  expect(body).toMatch(/<a rel="prev" href="\/docs\/api\/">.*API reference/);
  expect(body).toMatch(/<a rel="next" href="\/docs\/oauth\/">.*OAuth/);
  expect(body).toContain(`${SITE.index.repository}blob/HEAD/docs/batch.md`);
  expect(body).toContain('<a href="#callbacks">Callbacks</a>');
});

it('sends a page compressed, and once to a browser that keeps it', async () => {
  const { get } = open();
  const first = await get('/docs/oauth/', { 'accept-encoding': 'br' });
  const expected = { 'content-encoding': 'br', vary: 'Accept-Encoding', 'cache-control': 'no-cache' };
  expect(first.headers).toMatchObject(expected);
  const etag = first.headers.etag as string;
  const again = await get('/docs/oauth/', { 'accept-encoding': 'br', 'if-none-match': etag });
  expect([again.statusCode, again.body]).toEqual([304, '']);
  // Its links have changed since.
  const moved = open({ publicUrl: 'https://x.example/verify' });
  const headers = { 'accept-encoding': 'br', 'if-none-match': etag };
  expect((await moved.get('/docs/oauth/', headers)).statusCode).toBe(200);
});

it.each([
  ['/docs', 302, '/docs/'],
  ['/docs/oauth', 308, '/docs/oauth/'],
  ['/docs/oauth.md', 308, '/docs/oauth/'],
  ['/docs/recipes/README.md', 308, '/docs/recipes/'],
  ['/docs/recipes/captcha.md', 308, '/docs/recipes/captcha/'],
  ['/docs/CHANGELOG.md', 308, '/docs/changelog/'],
  ['/docs/api', 308, '/docs/api/'],
])('leads from %s (%i) to %s', async (url, status, location) => {
  const { statusCode, headers } = await open().get(url);
  expect([statusCode, headers.location]).toEqual([status, location]);
});

it.each(['/docs/nowhere', '/docs/nowhere/', '/docs/recipes/nowhere/', '/docs//evil.example/'])(
  'answers %s with a page that offers the search',
  async (url) => {
    const { statusCode, headers, body } = await open().get(url);
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(textOf(body)).toContain('Page not found');
    expect(body).toContain('role="search"');
  },
);

it('offers the page that a mistyped URL may have meant', async () => {
  const { body } = await open().get('/docs/captchas-turnstlie/');
  expect(hrefsIn(body)).toContain('/docs/captchas/#turnstile');
});

it('serves what the build writes: pages, files that they link to, and what they load', async () => {
  const { get } = open();
  const typeOf = async (url: string) => (await get(url)).headers['content-type'];
  expect(await typeOf('/docs/recipes/captcha/')).toBe('text/html; charset=utf-8');
  expect(await typeOf('/docs/files/deploy/nginx.conf')).toBe('text/plain; charset=utf-8');
  expect(await typeOf('/docs/assets/docs.css')).toBe('text/css; charset=utf-8');
  expect(await typeOf('/docs/assets/docs.js')).toBe('text/javascript; charset=utf-8');
  expect((await get('/docs/search?q=turnstile')).body).toContain('<mark>');
});

describe('the search', () => {
  it('answers with results that lead to their headings', async () => {
    const { body } = await open().get('/docs/search?q=turnstile');
    expect(hrefsIn(body)).toContain('/docs/captchas/#turnstile');
    expect(body).toContain('<mark>Turnstile</mark>');
    expect(textOf(body)).toMatch(/\d+ results? for turnstile/);
  });

  it('finds endpoints of the API', async () => {
    const { body } = await open().get('/docs/search?q=GET+explain');
    expect(hrefsIn(body)).toEqual(expect.arrayContaining([expect.stringMatching(/^\/docs\/api\/#/)]));
  });

  it.each([
    ['no query', '', 'Type one or more words.'],
    ['an empty query', '?q=', 'Type one or more words.'],
    ['spaces', '?q=%20%20', 'Type one or more words.'],
    ['nonsense', '?q=qqqqxxxxzzzz', 'No results for qqqqxxxxzzzz .'],
    ['10,000 characters', `?q=${'a'.repeat(10_000)}`, 'This query has 10,000 characters. Use 200 at most.'],
    ['bytes that are not UTF-8', '?q=%ff', 'No results'],
    ['a broken escape', '?q=%', 'No results'],
  ])('answers %s with a clear page', async (_, query, text) => {
    const { statusCode, body } = await open().get(`/docs/search${query}`);
    expect(statusCode).toBe(200);
    expect(textOf(body)).toContain(text);
    expect(body.length).toBeLessThan(20_000);
  });

  it('takes a query for text, never for HTML', async () => {
    const query = `"><script>alert(1)</script><img src=x onerror=alert(2)> captcha`;
    const { body } = await open().get(`/docs/search?q=${encodeURIComponent(query)}`);
    expect(body).not.toMatch(/<script>|<img|"><script/);
    expect(body).toContain('&quot;&gt;&lt;script&gt;');
  });
});

it('works below a path behind a proxy', async () => {
  const { get } = open({ publicUrl: 'https://x.example/verify' });
  const absolute = async (url: string) => {
    const { body } = await get(url);
    return [...body.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map(([, path]) => path!);
  };
  for (const url of ['/docs/', '/docs/oauth/', '/docs/api/', '/docs/search?q=captcha', '/docs/nowhere']) {
    const paths = await absolute(url);
    expect(paths.length).toBeGreaterThan(10);
    expect(
      paths.filter((path) => !path.startsWith('/verify/')),
      url,
    ).toEqual([]);
  }
  expect((await get('/docs/oauth')).headers.location).toBe('/verify/docs/oauth/');
});

it('names the public URL to programs that read the OpenAPI document', async () => {
  const serversOf = async (options: ServiceChanges) =>
    (await open(options).get('/docs/openapi.json')).json().servers;
  expect(await serversOf({ publicUrl: 'https://x.example/verify' })).toEqual([
    { url: 'https://x.example/verify' },
  ]);
  expect(await serversOf({})).toEqual([{ url: '/' }]);
});

it('puts the demo’s keys into the forms of the demo only', async () => {
  expect((await open().get('/docs/api/')).body).not.toContain('test_public_demo');
  expect((await open({ isDemo: true }).get('/docs/api/')).body).toContain('test_public_demo');
});
