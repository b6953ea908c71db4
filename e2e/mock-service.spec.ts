/** Tests the mock service itself, without a browser. */
import {
  drop,
  expect,
  hang,
  later,
  rateLimited,
  stalled,
  test,
  text,
  truncated,
  tryAgain,
  undeliverable,
  withoutCors,
} from './fixtures.ts';
import type { MockService } from './mock-service/mock-service.ts';

const ask = (service: MockService, email: string, init: RequestInit = {}) =>
  fetch(`${service.origin}/v1/verify?${new URLSearchParams({ email, api_key: 'k' })}`, {
    headers: { origin: 'http://localhost:1' },
    ...init,
  });

test('returns deliverable for an address without a set reply', async ({ service }) => {
  const answer = await ask(service, 'joe+news@example.com');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    state: 'deliverable',
    user: 'joe',
    tag: 'news',
    domain: 'example.com',
  });
});

test('gives replies in turn, and then repeats the last one', async ({ service }) => {
  service.answer('a@b.co', tryAgain(), rateLimited(), undeliverable());
  const statuses = [];
  for (let turn = 0; turn < 4; turn++) statuses.push((await ask(service, 'a@b.co')).status);
  expect(statuses).toEqual([249, 429, 200, 200]);
});

test('records requests, and reads form-encoded bodies too', async ({ service }) => {
  await ask(service, 'a+b@c.co');
  const body = new URLSearchParams({ email: 'd@e.co', timeout: '5' });
  await fetch(`${service.origin}/v1/verify`, { method: 'POST', body });
  expect(service.asked).toEqual(['a+b@c.co', 'd@e.co']);
  expect(await service.nextRequest()).toMatchObject({
    method: 'GET',
    query: { email: 'a+b@c.co', api_key: 'k' },
  });
  expect(await service.nextRequest()).toMatchObject({ method: 'POST', query: {}, body: { timeout: '5' } });
});

test('responds to a held request when it is released', async ({ service }) => {
  service.hold('slow@b.co');
  const slow = ask(service, 'slow@b.co');
  await service.nextRequest();
  await ask(service, 'quick@b.co');
  service.answer('slow@b.co', undeliverable());
  service.release('slow@b.co');
  expect(await (await slow).json()).toMatchObject({ state: 'undeliverable' });
  expect(() => service.release('slow@b.co')).toThrow('Expected a held request for slow@b.co');
});

test('does not change a delayed response', async ({ service }) => {
  service.answer('later@b.co', later(1, undeliverable()));
  expect(await (await ask(service, 'later@b.co')).json()).toMatchObject({ state: 'undeliverable' });
});

test('sends a delayed response after that of a later request', async ({ service }) => {
  service.answer('later@b.co', later(60_000, undeliverable()));
  const controller = new AbortController();
  const late = ask(service, 'later@b.co', { signal: controller.signal }).catch((error: Error) => error.name);
  const request = await service.nextRequest();
  await ask(service, 'quick@b.co');
  expect(request).toMatchObject({ email: 'later@b.co', answered: false, aborted: false });
  controller.abort();
  expect(await late).toBe('AbortError');
});

test('records a cancelled request as aborted', async ({ service }) => {
  service.answer('*', hang());
  const controller = new AbortController();
  const answer = ask(service, 'a@b.co', { signal: controller.signal }).catch((error: Error) => error.name);
  const request = await service.nextRequest();
  expect(request.aborted).toBe(false);
  controller.abort();
  expect(await answer).toBe('AbortError');
  await expect.poll(() => request.aborted).toBe(true);
});

test('breaks connections at the given point', async ({ service }) => {
  service.answer('drop@b.co', drop());
  service.answer('half@b.co', truncated());
  service.answer('stall@b.co', stalled());
  await expect(ask(service, 'drop@b.co')).rejects.toThrow();
  const half = await ask(service, 'half@b.co');
  await expect(half.text()).rejects.toThrow();
  const controller = new AbortController();
  const stall = await ask(service, 'stall@b.co', { signal: controller.signal });
  const first = await stall.body!.getReader().read();
  expect(first.value?.length).toBeGreaterThan(0);
  controller.abort();
});

test('sends any text of any type, and CORS headers unless a test removes them', async ({ service }) => {
  service.answer('text@b.co', text('{"state":', 'text/html'));
  service.answer('cors@b.co', withoutCors(undeliverable()));
  const answer = await ask(service, 'text@b.co');
  expect(await answer.text()).toBe('{"state":');
  expect(answer.headers.get('content-type')).toBe('text/html');
  expect(answer.headers.get('access-control-allow-origin')).toBe('http://localhost:1');
  expect((await ask(service, 'cors@b.co')).headers.get('access-control-allow-origin')).toBe(null);
});

test('records preflights separately from requests', async ({ service }) => {
  const answer = await fetch(`${service.origin}/v1/verify`, { method: 'OPTIONS' });
  expect(answer.status).toBe(204);
  expect(service.preflights).toHaveLength(1);
  expect(service.requests).toHaveLength(0);
});
