/** What the commands leave in the audit log, for the owner to read. */
import { expect, it } from 'vitest';
import { testDatabase } from '../service/support/database.ts';
import { adminOn } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);

const OWNER = ['--email', 'ada@example.com'];

const auditEvents = async () => {
  const rows = await db
    .selectFrom('audit')
    .select(['actor', 'actor_id', 'actor_name', 'action', 'subject_id', 'subject_name', 'details'])
    .orderBy('id')
    .execute();
  return rows.map(({ actor, actor_id, actor_name, ...event }) => {
    expect([actor, actor_id, actor_name]).toEqual(['operator', null, 'admin command']);
    return event;
  });
};
const nothing = { subject_id: null, subject_name: null };

it('has a row for each change, in order, without secrets', async () => {
  await admin.done('account', 'create', ...OWNER, '--credits', '7');
  await admin.done('account', 'add-credits', ...OWNER, '--amount', '3', '--note', 'Invoice 42');
  await admin.done('account', 'add-credits', ...OWNER, '--amount', '-1');
  await admin.done('account', 'limits', ...OWNER, '--batch-size', '9');
  const { password } = await admin.done('account', 'password', ...OWNER);
  const server = ['--kind', 'private', '--mode', 'live', '--name', 'Server'];
  const key = await admin.done('key', 'create', ...OWNER, ...server);
  const rolled = await admin.done('key', 'roll', '--id', key.id, '--overlap', '60');
  await admin.done('key', 'revoke', '--id', key.id);
  type App = { client_id: string; client_secret: string };
  const app = await admin.done<App>('app', 'create', ...OWNER, '--name', 'News', '--device');
  await admin.done('app', 'delete', '--client-id', app.client_id);
  const ofKey = { subject_id: key.id, subject_name: 'Server' };
  const ofApp = { subject_id: app.client_id, subject_name: 'News' };
  const [last4, next4] = [key.key.slice(-4), rolled.key.slice(-4)];
  expect(await auditEvents()).toEqual([
    { action: 'account.create', ...nothing, details: { credits: 7 } },
    { action: 'account.credits', ...nothing, details: { amount: 3, note: 'Invoice 42' } },
    { action: 'account.credits', ...nothing, details: { amount: -1 } },
    { action: 'account.limits', ...nothing, details: { batch_size: 9 } },
    { action: 'account.password', ...nothing, details: {} },
    { action: 'key.create', ...ofKey, details: { kind: 'private', mode: 'live', last4 } },
    { action: 'key.roll', ...ofKey, details: { last4: next4, former_last4: last4, overlap_seconds: 60 } },
    { action: 'key.revoke', ...ofKey, details: { last4: next4 } },
    { action: 'app.create', ...ofApp, details: { redirect_uris: '', device: true, public: false } },
    { action: 'app.delete', ...ofApp, details: {} },
  ]);
  const written = JSON.stringify(await auditEvents());
  for (const secret of [password, key.key, rolled.key, app.client_secret])
    expect(written).not.toContain(secret);
});

it('has no row for a command that changed nothing', async () => {
  const before = (await auditEvents()).length;
  await admin.refused('account', 'create', ...OWNER);
  await admin.refused('account', 'add-credits', ...OWNER, '--amount', '-1000');
  await admin.refused('key', 'roll', '--id', 'key_0');
  await admin.refused('key', 'revoke', '--id', 'key_0');
  await admin.refused('app', 'delete', '--client-id', 'none_of_these');
  const PRIVATE = ['--kind', 'private', '--mode', 'test', '--key', 'test_12345678'];
  await admin.done('key', 'create', ...OWNER, ...PRIVATE);
  await admin.refused('key', 'create', ...OWNER, ...PRIVATE);
  const APP = ['--name', 'News', '--device', '--client-id', 'an_imported_id'];
  await admin.done('app', 'create', ...OWNER, ...APP);
  await admin.refused('app', 'create', ...OWNER, ...APP);
  expect(await auditEvents()).toHaveLength(before + 2);
});
