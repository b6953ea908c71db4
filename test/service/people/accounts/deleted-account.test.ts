/** What is left of a deleted account: nothing that opens anything, in any process. */
import { expect, it } from 'vitest';
import { adminOn } from '../../../cli/run-admin.ts';
import { openWorld, worldOf } from '../../oauth/world.ts';
import { testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { startStoredService, storeKey } from '../../support/stored-service.ts';
import { makePerson, Visitor } from '../../support/visitor.ts';

const database = await testDatabase();
const { db } = database;

it('ends keys, tokens, codes, device codes, consents and memberships with the account, in both processes', async () => {
  const person = await makePerson(db, 7);
  const services = [await startStoredService(db), await startStoredService(database.connect())];
  // The app of another account, which goes on.
  const developer = await openWorld(db);
  const client = await developer.makeApp();
  const worlds = services.map(({ app }) => worldOf(db, app, person.id));
  const [one] = worlds as [(typeof worlds)[number]];
  const { key } = await storeKey(db, person.id, { mode: 'test' });
  const tokens = await one.tokensOf(client);
  const code = await one.codeOf(client);
  const device = await one.deviceOf(client);
  await one.grants.allowDevice(device.user_code, person.id);
  const visitor = await new Visitor(services[0]!.app).signIn(person);
  const visitors = services.map(({ app }) => visitor.copy(app));
  // Both processes have seen the key, the token and the session, so both could remember them.
  const statuses = () =>
    Promise.all(
      services.flatMap(({ app }, index) => [
        app.inject({ url: `/v1/account?api_key=${key}` }).then(({ statusCode }) => statusCode),
        app
          .inject({ url: `/v1/verify?api_key=${key}&email=a@b.example` })
          .then(({ statusCode }) => statusCode),
        worlds[index]!.askAccount(tokens.access_token).then(({ statusCode }) => statusCode),
        visitors[index]!.open('/dashboard/keys').then(({ status }) => status),
      ]),
    );
  expect(await statuses()).toEqual(Array(8).fill(200));
  await adminOn(database).done('account', 'delete', '--email', person.email, '--yes');
  // A process remembers a key for less than a second, as stored-keys.test.ts tests with a clock of its own.
  await expect.poll(statuses, PATIENTLY).toEqual(Array(8).fill(403));
  for (const world of worlds) {
    expect((await world.refresh(client, tokens.refresh_token)).json().error).toBe('invalid_grant');
    expect((await world.exchange(client, code)).json().error).toBe('invalid_grant');
    expect((await world.poll(client, device.device_code)).json().error).toBe('invalid_grant');
    expect(await world.grants.listAuthorisedApps(person.id)).toEqual([]);
  }
  // The owner is a person without an account.
  for (const { app } of services) {
    const former = await (await new Visitor(app).signIn(person)).follow();
    expect([former.status, former.text.includes('You have no account')]).toEqual([403, true]);
  }
  expect((await developer.askAccount((await developer.tokensOf(client)).access_token)).statusCode).toBe(200);
});
