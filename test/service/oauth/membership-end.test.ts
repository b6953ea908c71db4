/** What a person has allowed to apps ends with the membership of the account, or with the right to allow apps. */
import { describe, expect, it } from 'vitest';
import type { Decider } from '../../../src/service/oauth/decisions.ts';
import { changeRole } from '../../../src/service/people/members/change-role.ts';
import { listMembers, setMember } from '../../../src/service/people/members/member-store.ts';
import type { Role } from '../../../src/service/people/members/roles.ts';
import { makeAccount, ownerOf } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { startStoredService, storeKey } from '../support/stored-service.ts';
import { CALLBACK, type Client, openWorld, worldOf } from './world.ts';

const { db, run } = await testDatabase();

type World = Awaited<ReturnType<typeof openWorld>>;

/** What an app gets when a person allows it. */
function consentsOf(world: World, client: Client) {
  const tokensOf = async (decider: Decider) => {
    const code = await codeOf(decider);
    return (await world.exchange(client, code)).json() as { access_token: string; refresh_token: string };
  };
  const codeOf = async (decider: Decider) => {
    const request = await world.read({
      ...{ response_type: 'code', client_id: client.client_id, redirect_uri: CALLBACK },
    });
    if (request.kind !== 'ask') throw new Error(request.message);
    const decision = await world.decide(request, decider);
    if (decision.kind !== 'redirect') throw new Error(decision.kind);
    return new URL(decision.url).searchParams.get('code')!;
  };
  return { codeOf, tokensOf };
}

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

  const { codeOf, tokensOf } = consentsOf(world, client);
  const theirs = await tokensOf(own);
  const ofOwner = await tokensOf(ownerOf(world.accountId));
  const elsewhere = await tokensOf(admin);
  const code = await codeOf(own);
  const device = await world.deviceOf(client);
  await world.decideDevice(device.user_code, own);

  await run`delete from members where account_id = ${own.accountId} and person_id = ${own.personId}`;
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

describe('a changed role', () => {
  const change = (decider: Decider, role: Role) =>
    changeRole(db, { ...decider, role, actor: { kind: 'operator' } });

  it.each([
    ['admin', 'member', 403],
    ['owner', 'viewer', 403],
    ['admin', 'owner', 200],
    ['owner', 'admin', 200],
  ] as const)('from %s to %s answers the tokens with %i', async (before, after, status) => {
    const world = await openWorld(db);
    const client = await world.makeApp();
    const { codeOf, tokensOf } = consentsOf(world, client);
    const own = { ...ownerOf(await makeAccount(db)), accountId: world.accountId };
    await setMember(db, own.accountId, own.personId, before);
    const memberNow = async () =>
      (await listMembers(db, own.accountId)).find(({ personId }) => personId === own.personId);
    const since = (await memberNow())?.since;
    const theirs = await tokensOf(own);
    const ofOwner = await tokensOf(ownerOf(world.accountId));
    const code = await codeOf(own);
    const device = await world.deviceOf(client);
    await world.decideDevice(device.user_code, own);

    await change(own, after);
    expect((await world.askAccount(theirs.access_token)).statusCode).toBe(status);
    expect((await world.exchange(client, code)).statusCode === 200).toBe(status === 200);
    expect((await world.poll(client, device.device_code)).statusCode === 200).toBe(status === 200);
    expect((await world.askAccount(ofOwner.access_token)).statusCode).toBe(200);
    expect(await memberNow()).toMatchObject({ role: after, since });
    if (status === 200) return;
    // A page that was opened before allows nothing any more.
    await expect(codeOf(own)).rejects.toThrow('error-page');
    expect(await world.decideDevice((await world.deviceOf(client)).user_code, own)).toBe(false);
    // What has ended does not come back with the role.
    await change(own, before);
    expect((await world.askAccount(theirs.access_token)).statusCode).toBe(403);
  });
});
