/** What all pages share is served by every service, also by one that has neither the demo nor a database. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startService } from '../testing.ts';

const folder = mkdtempSync(join(tmpdir(), 'house-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'index.html'), '<!doctype html><body><!-- masthead --></body>');

it.each([
  ['/house.css', 'text/css; charset=utf-8', '--ink'],
  ['/logo.svg', 'image/svg+xml; charset=utf-8', '<svg'],
  ['/view.js', 'text/javascript; charset=utf-8', 'data-chooses'],
])('serves %s, which browsers ask about at each use', async (url, type, content) => {
  const service = startService();
  const { headers, body } = await service.ask({ url });
  expect([headers['content-type'], headers['cache-control']]).toEqual([type, 'no-cache']);
  expect(body).toContain(content);
  const etag = headers.etag as string;
  expect((await service.ask({ url, headers: { 'if-none-match': etag } })).statusCode).toBe(304);
});

it('puts the masthead into the pages of the demo, with the links that the service has', async () => {
  const { ask } = startService({ demoFolder: folder });
  const { body } = await ask({ url: '/' });
  expect(body).toContain('<a href="./playground/">Playground</a>');
  expect(body).not.toContain('Dashboard');
  expect(body).not.toContain('<!-- masthead -->');
});
