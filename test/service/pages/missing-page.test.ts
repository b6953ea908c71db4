import { expect, it } from 'vitest';
import { DOCS } from '../support/docs.ts';
import { startService } from '../testing.ts';

const PERSON = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const MESSAGE = { message: 'This URL does not exist. Check its spelling.' };

it.each(['/nothing', '/reference/nothing', '/gallery/nothing?a=<b>'])(
  'shows people a page at %s, with a way back',
  async (url) => {
    const service = startService({ demoFolder: 'demo' });
    const { statusCode, headers, body } = await service.ask({ url, headers: PERSON });
    expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(headers).toMatchObject({ vary: 'Origin, Accept', 'cache-control': 'no-store' });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(body).toContain('<h1>Page not found</h1>');
    expect(body).toContain('href="/">Go to the first page</a>');
    expect(body).not.toContain('<b>');
    const styles = [...body.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, href]) => href!);
    expect(styles).toHaveLength(2);
    for (const style of styles) expect((await service.ask({ url: style })).statusCode).toBe(200);
  },
);

it.each([
  ['a program', '/nothing', '*/*'],
  ['a request for an image', '/nothing.png', 'image/avif,image/webp,*/*'],
  ['a browser at a URL of the API', '/v1/nothing', PERSON.accept],
])('sends %s the failure as JSON', async (_, url, accept) => {
  const answer = await startService({ demoFolder: 'demo' }).ask({ url, headers: { accept } });
  expect([answer.statusCode, answer.json()]).toEqual([404, MESSAGE]);
});

it('leads to the documentation where there is no demo', async () => {
  const { body } = await startService({ docs: DOCS }).ask({ url: '/', headers: PERSON });
  expect(body).toContain('href="/docs/">Go to the first page</a>');
});
