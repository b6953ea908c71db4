/** Revoking what somebody may have made who knew the password. */
import { expect, it } from 'vitest';
import { createKey } from '../../../../src/service/keys/key-store.ts';
import { listActiveKeys } from '../../../../src/service/keys/manage/manage-keys-store.ts';
import { insertApp, listApps } from '../../../../src/service/oauth/apps/app-store.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { makeMember, Visitor } from '../../support/visitor.ts';
import { deedsOf, openSecurity, problemOf } from '../settings/person.ts';

const { db, run } = await testDatabase();

const SINCE = '/dashboard/security/since';
const makeKey = (accountId: string, name: string) =>
  createKey(db, {
    ...{ account_id: accountId, kind: 'private', mode: 'live', name, trusted_domains: [], trusted_ips: [] },
  });
const age = (id: string) =>
  run`with old as (update keys set created_at = '2020-01-01' where id = ${id})
    update key_values set created_at = '2020-01-01' where key_id = ${id}`;
const makeApp = (accountId: string, clientId: string) =>
  insertApp(db, {
    ...{ client_id: clientId, account_id: accountId, name: 'An app', redirect_uris: ['https://a.example/'] },
    ...{ secret: null, allows_device: false },
  } as Parameters<typeof insertApp>[1]);
const rows = ({ document }: Visitor) =>
  [...document.querySelectorAll('main tbody tr')].map((row) =>
    [row.querySelector('th')!, ...row.querySelectorAll('td')]
      .slice(0, 3)
      .map(({ textContent }) => textContent),
  );
const names = async (accountId: string) => (await listActiveKeys(db, accountId)).map(({ name }) => name);

it('lists what was made since the day, and revokes it after a confirmation', async () => {
  const { visitor, person } = await openSecurity(db);
  const old = await makeKey(person.id, 'old');
  await age(old.id);
  await makeKey(person.id, 'new');
  await makeApp(person.id, `client_${'a'.repeat(24)}`);
  await visitor.press('Show keys and apps').catch(() => {});
  await visitor.open(`${SINCE}?day=2024-01-01`);
  expect(rows(visitor)).toEqual([
    ['new', 'Key', person.email],
    ['An app', 'Your app', person.email],
  ]);
  expect(await names(person.id)).toEqual(['new', 'old']);
  expect((await visitor.press('Revoke all of these')).location).toBe('/dashboard/security?done=revoked#said');
  expect(await names(person.id)).toEqual(['old']);
  expect(await listApps(db, person.id)).toEqual([]);
  expect((await deedsOf(db, person.id)).map(({ action }) => action)).toEqual(['key.revoke', 'app.delete']);
  await visitor.open(`${SINCE}?day=2024-01-01`);
  expect(visitor.text).toContain('no key and no app that still works was made since');
});

it('counts a key whose value was rolled since the day', async () => {
  const { visitor, person } = await openSecurity(db);
  const key = await makeKey(person.id, 'rolled');
  await run`update keys set created_at = '2020-01-01' where id = ${key.id}`;
  await visitor.open(`${SINCE}?day=2024-01-01`);
  expect(rows(visitor)).toEqual([['rolled', 'Key', person.email]]);
});

it('revokes nothing that the person was not shown', async () => {
  const { visitor, person } = await openSecurity(db);
  await makeKey(person.id, 'shown');
  await visitor.open(`${SINCE}?day=2024-01-01`);
  await makeKey(person.id, 'made meanwhile');
  await visitor.press('Revoke all of these');
  expect(await names(person.id)).toEqual(['made meanwhile']);
});

it('neither shows nor revokes what the person may not revoke', async () => {
  const owner = await openSecurity(db);
  const key = await makeKey(owner.person.id, 'not yours');
  const service = await startStoredService(db);
  const viewer = await makeMember(db, owner.person.id, 'viewer');
  const visitor = await new Visitor(service.app).signIn(viewer);
  await visitor.open(`${SINCE}?day=2024-01-01`);
  expect(rows(visitor)).toEqual([]);
  const { sent } = (await visitor.open('/dashboard/security')).formOf('Change password');
  const shown = `key:${owner.person.id}:${key.id}`;
  await visitor.post(SINCE, { form_token: sent.form_token!, day: '2024-01-01', shown });
  expect(await names(owner.person.id)).toEqual(['not yours']);
});

it('shows and revokes a test key that a member has made, and no other key', async () => {
  const { person: owner, app } = await openSecurity(db);
  await makeKey(owner.id, 'not yours');
  const member = await makeMember(db, owner.id, 'member');
  const own = await makeKey(owner.id, 'yours');
  await run`update keys set mode = 'test', made_by = ${member.personId} where id = ${own.id}`;
  const visitor = await new Visitor(app).signIn(member);
  await visitor.open(`${SINCE}?day=2024-01-01`);
  expect(rows(visitor)).toEqual([['yours', 'Key', owner.email]]);
  await visitor.press('Revoke all of these');
  expect(await names(owner.id)).toEqual(['not yours']);
});

it.each(['', 'yesterday', '2024-13-01', '2024-02-30', '01.02.2024', '2024-1-1'])(
  'refuses %j as a day, and says what it expects',
  async (day) => {
    const { visitor } = await openSecurity(db);
    await visitor.open(`${SINCE}?${new URLSearchParams({ day })}`);
    expect([visitor.status, problemOf(visitor)]).toEqual([422, 'Expected a day, such as 2026-01-31.']);
    expect(visitor.document.querySelector('#since-day')!.getAttribute('aria-invalid')).toBe('true');
  },
);
