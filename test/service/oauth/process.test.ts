/** OAuth in the built service as a process of its own. */
import { expect, it, onTestFinished } from 'vitest';
import { inLong } from '../../in-long.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { runService } from '../support/running-service.ts';
import { listening, MAIN, writeConfig } from '../support/service-process.ts';
import { startStoredService } from '../support/stored-service.ts';
import { FORM } from '../testing.ts';
import { CALLBACK, type Client, worldOf } from './world.ts';

const metadataAt = async (address: string) =>
  (await fetch(`${address}/.well-known/oauth-authorization-server`)).json();

inLong('keeps tokens that were given, and no others, when the process is killed', async () => {
  const database = await testDatabase(onTestFinished);
  const { app } = await startStoredService(database.db);
  const world = worldOf(database.db, app, await makeAccount(database.db));
  const config = writeConfig({ publicUrl: 'https://verify.example/', durations: { accessToken: 77 } });
  const environment = { DATABASE_URL: database.url };
  const process = await listening('node', [MAIN, '--config', config, '--port', '0'], { environment });
  await expect.poll(async () => (await fetch(`${process.address}/readyz`)).status, PATIENTLY).toBe(200);
  expect(await metadataAt(process.address)).toMatchObject({ issuer: 'https://verify.example' });

  const client: Client = await world.makeApp();
  const codes = await Promise.all(Array.from({ length: 30 }, () => world.codeOf(client)));
  const given: string[] = [];
  const exchange = async (code: string) => {
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...client };
    const post = { method: 'POST', headers: { 'content-type': FORM }, body: new URLSearchParams(form) };
    const answer = await fetch(`${process.address}/oauth/token`, post);
    const tokens = (await answer.json()) as { access_token: string; expires_in: number };
    expect(tokens.expires_in).toBe(77);
    given.push(tokens.access_token);
    // In the middle of the others.
    if (given.length === 5) process.child.kill('SIGKILL');
  };
  await Promise.allSettled(codes.map(exchange));
  await process.exit;
  expect(given.length).toBeGreaterThanOrEqual(5);
  for (const token of given) expect((await world.askAccount(token)).statusCode).toBe(200);
  // Each code has either been used whole, or not at all.
  const left = await database.db.selectFrom('authorization_codes').select('digest').execute();
  const families = await database.db.selectFrom('token_families').select('code').execute();
  expect(left.length + families.length).toBe(30);
  const used = [...left.map((row) => `${row.digest}`), ...families.map((row) => `${row.code}`)];
  expect(new Set(used).size).toBe(30);
});

it('names its own address without a public URL', async () => {
  const database = await testDatabase(onTestFinished);
  const service = runService(database.url, { publicUrl: undefined });
  await service.opened.ready;
  const address = await service.listen();
  const device_authorization_endpoint = `${address}/oauth/device/code`;
  expect(await metadataAt(address)).toMatchObject({ issuer: address, device_authorization_endpoint });
});

it('names the host that it was told to listen on, as it prints it', async () => {
  const database = await testDatabase(onTestFinished);
  const parameters = [MAIN, '--config', writeConfig({ database: database.url }), '--port', '0'];
  const pattern = /^listening on (http:\/\/localhost:\d+)\n/;
  const { address } = await listening('node', [...parameters, '--host', 'localhost'], { pattern });
  const token_endpoint = `${address}/oauth/token`;
  expect(await metadataAt(address)).toMatchObject({ issuer: address, token_endpoint });
});
