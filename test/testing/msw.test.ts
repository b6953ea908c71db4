// @vitest-environment node
/** The handlers for MSW, asked as a page asks. */
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handlers } from '../../src/testing/msw.ts';

const verification = handlers({ baseUrl: 'https://api.example' });
const server = setupServer(...verification);

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterAll(() => server.close());

it('records a POST as aborted if the client aborts it while its body is read', async () => {
  verification.hold();
  const controller = new AbortController();
  const answer = fetch('https://api.example/v1/verify', {
    method: 'POST',
    body: new URLSearchParams({ email: 'a@b.example', api_key: 'test_key' }),
    signal: controller.signal,
  });
  controller.abort();
  await expect(answer).rejects.toThrow('abort');
  expect(await verification.nextRequest()).toMatchObject({ email: 'a@b.example', aborted: true });
});
