/** What a service without a database answers where others have accounts, batches and OAuth. */
import { describe, expect, it } from 'vitest';
import { FORM, failureOf, startService } from '../testing.ts';

const NO_DATABASE = [503, expect.stringContaining('"database"')];
const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

describe.each([
  ['GET', '/v1/account'],
  ['GET', '/v1/batch'],
  ['POST', '/v1/batch'],
] as const)('%s %s', (method, url) => {
  it('names the database once a private key has been accepted', async () => {
    const service = startService();
    expect(failureOf(await service.ask({ method, url, ...withKey('test_private') }))).toEqual(NO_DATABASE);
    expect(failureOf(await service.ask({ method, url: `${url}?api_key=live_private` }))).toEqual(NO_DATABASE);
  });

  it('checks the credential before that', async () => {
    const service = startService();
    const required = expect.stringMatching(/^API key is required\. Send it as api_key, or in the header/);
    expect(failureOf(await service.ask({ method, url }))).toEqual([401, required]);
    expect((await service.ask({ method, url, ...withKey('test_unknown') })).statusCode).toBe(403);
    expect((await service.ask({ method, url, ...withKey('test_office') })).statusCode).toBe(403);
    const page = { origin: 'https://shop.example', ...withKey('test_public').headers };
    const refused = failureOf(await service.ask({ method, url, headers: page }));
    expect(refused).toEqual([403, expect.stringMatching(/^Public keys work at/)]);
  });

  it('counts the requests for the limit of the endpoint', async () => {
    const service = startService();
    const statuses: number[] = [];
    for (let requests = 0; requests < 6; requests += 1)
      statuses.push((await service.ask({ method, url, ...withKey('test_private') })).statusCode);
    expect(statuses).toEqual([503, 503, 503, 503, 503, 429]);
  });
});

it('takes the credential of a batch from a body in JSON, with a list of addresses in it', async () => {
  const answer = await startService().ask({
    method: 'POST',
    url: '/v1/batch',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ api_key: 'test_private', emails: ['a@example.com', 'b@example.com'] }),
  });
  expect(failureOf(answer)).toEqual(NO_DATABASE);
});

it.each([
  ['GET', '/oauth/authorize?client_id=x&response_type=code'],
  ['POST', '/oauth/token'],
  ['POST', '/oauth/revoke'],
  ['POST', '/oauth/device/code'],
] as const)('names the database at %s %s, without a credential', async (method, url) => {
  const service = startService();
  const answer = await service.ask({ method, url });
  expect(failureOf(answer)).toEqual(NO_DATABASE);
  expect(answer.headers['cache-control']).toBe('no-store');
  if (method === 'GET') return;
  const form = { headers: { 'content-type': FORM }, payload: 'client_id=x&grant_type=refresh_token' };
  expect(failureOf(await service.ask({ method, url, ...form }))).toEqual(NO_DATABASE);
});

it('is ready at once, and not while it stops', async () => {
  const { app } = startService();
  let address = '';
  const statusOf = async (path: string) => (await fetch(address + path)).status;
  const statusesOf = async () => [await statusOf('/readyz'), await statusOf('/healthz')];
  let statuses: number[] = [];
  // It still listens then.
  app.addHook('preClose', async () => {
    statuses = await statusesOf();
  });
  address = await app.listen({ port: 0, host: '127.0.0.1' });
  expect(await statusesOf()).toEqual([200, 200]);
  await app.close();
  expect(statuses).toEqual([503, 200]);
});
