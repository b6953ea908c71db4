import { expect, it, onTestFinished } from 'vitest';
import { createService } from '../../../../src/service/app/web.ts';
import { settingsWith } from '../../support/deps.ts';

it.each(['/login', '/oauth/device', '/dashboard/', '/dashboard/batches/new', '/account/apps'])(
  'answers %s with a page that says what is missing',
  async (path) => {
    const app = createService({ keys: [], settings: settingsWith() });
    onTestFinished(() => app.close());
    const response = await app.inject({ url: path, headers: { host: 'localhost' } });
    expect(response.statusCode).toBe(503);
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
    expect(response.body).toContain('This server runs without a database');
    const [, style = ''] = /<link rel="stylesheet" href="(\/pages-[^"]+)"/.exec(response.body) ?? [];
    expect((await app.inject({ url: style, headers: { host: 'localhost' } })).statusCode).toBe(200);
  },
);
