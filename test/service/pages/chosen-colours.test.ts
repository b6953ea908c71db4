import { expect, it } from 'vitest';
import { startService } from '../testing.ts';

it.each([
  ['scheme=dark', ' data-scheme="dark"'],
  ['session=x; scheme=light; other=y', ' data-scheme="light"'],
  ['scheme=', ''],
  ['scheme=dark"><script>', ''],
  ['notscheme=dark', ''],
])('shows a page without scripts in the colours of the cookie %s', async (cookie, attribute) => {
  const { body } = await startService().ask({ url: '/login', headers: { cookie } });
  expect(body).toContain(`<html${attribute} lang="en" dir="ltr">`);
});
