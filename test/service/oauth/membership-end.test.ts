/** What a person has allowed to apps ends with the person's membership of the account, and nothing else does. */
import { expect, it } from 'vitest';
import { setMember } from '../../../src/service/people/members/member-store.ts';
import { makeAccount, ownerOf } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { startStoredService, storeKey } from '../support/stored-service.ts';
import { CALLBACK, openWorld, worldOf } from './world.ts';

const { db } = await testDatabase();

it('ends tokens, codes and devices of that person in that account, in the statement that ends the membership', async () => {
  const world = await openWorld(db);
  const { app } = await startStoredService(db);
  const other = worldOf(db, app, await makeAccount(db));
  const client = await world.makeApp();
  // The person is a member of both accounts, and leaves the first one.
  const admin = ownerOf(await makeAccount(db));
  const own = { ...admin, accountId: world.accountId };
  await setMember(db, own.accountId, own.personId, 'admin');
  const { key } = await storeKey(db, own.accountId, { made_by: own.personId });

  const tokensOf = async (decider: typeof own) => {
    const code = await codeOf(decider);
    return (await world.exchange(client, code)).json() as { access_token: string; refresh_token: string };
  };
  const codeOf = async (decider: typeof own) => {
    const request = await world.read({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri: CALLBACK },
    });
    if (request.kind !== 'ask') throw new Error(request.message);
    const decision = await world.decide(request, decider);
    if (decision.kind !== 'redirect') throw new Error(decision.kind);
    return new URL(decision.url).searchParams.get('code')!;
  };
  const theirs = await tokensOf(own);
  const ofOwner = await tokensOf(ownerOf(world.accountId));
  const elsewhere = await tokensOf(admin);
  const code = await codeOf(own);
  const device = await world.deviceOf(client);
  await world.decideDevice(device.user_code, own);

  await db
    .deleteFrom('members')
    .where('account_id', '=', own.accountId)
    .where('person_id', '=', own.personId)
    .execute();
  expect((await world.askAccount(theirs.access_token)).statusCode).toBe(403);
  expect((await world.refresh(client, theirs.refresh_token)).json().error).toBe('invalid_grant');
  expect((await world.exchange(client, code)).json().error).toBe('invalid_grant');
  expect((await world.poll(client, device.device_code)).json().error).toBe('invalid_grant');
  const late = world.deviceOf(client);
  expect(await world.decideDevice((await late).user_code, own)).toBe(false);
  await expect(codeOf(own)).rejects.toThrow('error-page');

  expect((await world.askAccount(ofOwner.access_token)).statusCode).toBe(200);
  expect((await other.askAccount(elsewhere.access_token)).statusCode).toBe(200);
  expect((await app.inject(`/v1/account?api_key=${key}`)).statusCode).toBe(200);
});
