/** `/dashboard/audit` as a person at a browser without scripts sees it. */
import { describe, expect, it } from 'vitest';
import {
  type AuditAction,
  type AuditEntry,
  type AuditEvent,
  MOST_CHANGES,
  recordAuditEvent,
} from '../../../../src/service/audit/audit-store.ts';
import {
  sayActor,
  sayAuditEvent,
  withoutIsolates,
} from '../../../../src/service/dashboard/audit/audit-sentences.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { arrive, makePerson, Visitor } from '../../support/visitor.ts';

const { db, run } = await testDatabase();

async function start() {
  const { app } = await startStoredService(db);
  const { person, visitor } = await arrive({ app }, db);
  const owner = { kind: 'owner', name: 'ada@example.com' } as const;
  const record = (event: Partial<AuditEvent> & Pick<AuditEvent, 'action'>) =>
    recordAuditEvent(db, { accountId: person.id, actor: owner, ...event });
  const look = async (query = '') => {
    await visitor.open(`/dashboard/audit${query}`);
    return [...visitor.document.querySelectorAll('tbody tr')].map((row) =>
      [...row.querySelectorAll('td')]
        .slice(1)
        .map(({ textContent }) => withoutIsolates(textContent!).replace(/\s+/g, ' ').trim()),
    );
  };
  return { app, person, visitor, record, look };
}

const shop = { id: 'key_1', name: 'Shop <b>' };

describe('the page', () => {
  it('says who did what, the latest first, in words', async () => {
    const { record, look } = await start();
    const details = { kind: 'public', mode: 'test', last4: 'ab12' };
    await record({ action: 'key.create', subject: shop, details });
    await record({ action: 'batch.pause', subject: { id: 'f'.repeat(24) }, actor: { kind: 'operator' } });
    await record({
      ...{ action: 'batch.create', subject: { id: 'e'.repeat(24), name: 'News.csv' } },
      ...{ actor: { kind: 'app', id: 'c', name: 'CRM' } },
      details: { entries: 4_800, mode: 'live', source: 'api' },
    });
    expect(await look()).toEqual([
      ['The app CRM', 'Started the batch News.csv of 4,800 entries. source: api'],
      ['The operator (admin command)', `Paused the batch ${'f'.repeat(24)}.`],
      ['ada@example.com', 'Created the key Shop <b>, a test public key, which ends in ab12.'],
    ]);
  });

  it('shows what was asked for only', async () => {
    const { record, look, visitor } = await start();
    await record({ action: 'key.revoke', subject: shop });
    await record({ action: 'app.delete', subject: { id: 'a', name: 'CRM' } });
    await record({ action: 'callback.send-again', subject: { id: 'b' } });
    await record({ action: 'settings.password' });
    await record({ action: 'address.erase' });
    const firsts = async (what: string) =>
      (await look(`?what=${what}`)).map(([, text]) => text!.split(' ')[0]);
    expect(await firsts('keys')).toEqual(['Revoked']);
    expect(await firsts('apps')).toEqual(['Deleted']);
    expect(await firsts('batches')).toEqual(['Sent']);
    expect(await firsts('settings')).toEqual(['Erased', 'Changed']);
    expect(visitor.document.querySelector('option[selected]')!.textContent).toBe('Settings and the account');
    expect(await firsts('__proto__')).toHaveLength(5);
  });

  it('has pages that keep what was chosen', async () => {
    const { record, look, visitor } = await start();
    for (let number = 0; number < 55; number += 1)
      await record({ action: 'key.change', subject: { id: 'key_1', name: `Key ${number}` } });
    await record({ action: 'settings.password' });
    expect(await look('?what=keys')).toHaveLength(50);
    const earlier = visitor.document.querySelector('nav.split a')!.getAttribute('href')!;
    expect(earlier).toMatch(/^\/dashboard\/audit\?what=keys&before=\d+$/);
    expect((await look(earlier.replace('/dashboard/audit', ''))).at(-1)![1]).toBe('Changed the key Key 0.');
    expect(visitor.document.querySelector('nav.split a')!.getAttribute('href')).toBe(
      '/dashboard/audit?what=keys',
    );
    // The pages of the site have this name.
    expect(visitor.navigations).not.toContain('Pages');
    await look('?before=1');
    expect(visitor.text).toContain('There are no earlier entries.');
    expect(await look('?before=x')).toHaveLength(50);
  });

  it('says what will be here as long as there is nothing', async () => {
    const { look, visitor, record } = await start();
    await look();
    expect(visitor.text).toContain('There are no entries yet.');
    await record({ action: 'settings.password' });
    await look('?what=apps');
    expect(visitor.text).toContain('There are no entries of this type yet.');
  });

  it('shows the own account only', async () => {
    const { app, record } = await start();
    await record({ action: 'settings.password' });
    const stranger = await new Visitor(app).signIn(await makePerson(db));
    await stranger.open('/dashboard/audit');
    expect(stranger.document.querySelectorAll('tbody tr')).toHaveLength(0);
    expect((await stranger.open('/dashboard/audit.csv')).response.body.split('\r\n')).toHaveLength(2);
  });
});

describe('as a file', () => {
  it('has all rows that were chosen', async () => {
    const { record, visitor } = await start();
    await record({ action: 'key.change', subject: { id: 'key_1', name: '=1+1' }, details: { name: 'x' } });
    await record({ action: 'settings.password' });
    await visitor.open('/dashboard/audit.csv?what=keys');
    const [head, row, end, ...others] = visitor.response.body.split('\r\n');
    expect([head, end, others]).toEqual(['\ufefftime,who,what,action,subject,details', '', []]);
    expect(row).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z,ada@example\.com,changed the key =1\+1,key\.change,key_1,"\{""name"":""x""\}"$/,
    );
    expect(visitor.response.headers['content-disposition']).toBe('attachment; filename="audit-log.csv"');
  });

  it('has more rows than one query returns', async () => {
    const { visitor, person } = await start();
    const row = {
      account_id: person.id,
      actor: 'owner',
      actor_name: 'ada',
      action: 'settings.password',
    } as const;
    const rows = Array.from({ length: 1_000 }, () => row);
    await db.insertInto('audit').values(rows).execute();
    await visitor.open('/dashboard/audit.csv');
    expect(visitor.response.body.trim().split('\r\n')).toHaveLength(1_001);
    await db.insertInto('audit').values(rows.slice(0, 7)).execute();
    await visitor.open('/dashboard/audit.csv');
    expect(visitor.response.body.trim().split('\r\n')).toHaveLength(1_008);
  });
});

const entry = (
  action: string,
  details: AuditEntry['details'] = {},
  name: string | null = 'X',
): AuditEntry => ({
  ...{ id: 1, at: new Date('2026-11-23T07:24:31Z'), actor: 'owner', actor_id: null, actor_name: 'ada' },
  ...{ action, subject_id: 'id_1', subject_name: name, details },
});
const say = (action: AuditAction, details?: AuditEntry['details'], name?: string | null) =>
  withoutIsolates(sayAuditEvent(entry(action, details, name)).text);

it.each([
  ['account.create', {}, 'created the account'],
  ['account.create', { credits: 5 }, 'created the account with 5 credits'],
  ['account.credits', {}, 'changed the credits'],
  ['account.credits', { amount: -1200 }, 'changed the credits by −1,200'],
  ['account.limits', {}, 'changed the limits of the account'],
  ['key.create', {}, 'created the key X'],
  ['key.change', {}, 'changed the key X'],
  ['key.roll', {}, 'rolled the key X. There is a new value'],
  [
    'key.roll',
    { last4: 'new4', former_last4: 'old4', overlap_seconds: 604_800 },
    'rolled the key X from …old4 to …new4. The old value works until 30 Nov 2026, 07:24 UTC',
  ],
  ['key.roll', { overlap_seconds: 0 }, 'rolled the key X. The old value stopped at once'],
  ['key.revoke', {}, 'revoked the key X. It will never work again'],
  ['key.revoke', { last4: 'ab12' }, 'revoked the key X, which ended in ab12. It will never work again'],
  ['app.create', {}, 'created the app X'],
  ['app.change', {}, 'changed the app X'],
  [
    'app.roll-secret',
    { overlap_seconds: 60 },
    'rolled the secret of the app X. The old secret works until 23 Nov 2026, 07:25 UTC',
  ],
  ['app.delete', {}, 'deleted the app X, and ended all its tokens'],
  ['app.allow', { flow: 'device' }, 'allowed the app X to use the account from a device'],
  ['app.allow', { flow: 'code' }, 'allowed the app X to use the account'],
  ['app.deny', { flow: 'code' }, 'denied the app X access to the account'],
  ['app.remove', {}, 'removed the access of the app X to the account'],
  ['batch.create', { entries: 1, mode: 'test' }, 'started the batch X of 1 entry with a test key'],
  ['batch.create', {}, 'started the batch X'],
  ['batch.resume', {}, 'resumed the batch X'],
  ['batch.stop', { refunded: 3 }, 'stopped the batch X, which gave back 3 credits'],
  ['batch.stop', { refunded: 0 }, 'stopped the batch X'],
  ['batch.delete', { refunded: 3 }, 'deleted the batch X with its results, which gave back 3 credits'],
  ['batch.delete', { refunded: 0 }, 'deleted the batch X with its results'],
  ['batch.create', { addresses: 1_200, mode: 'live' }, 'started the batch X of 1,200 addresses'],
  ['batch.download', { filtered: true }, 'downloaded some results of the batch X'],
  ['batch.download', { filtered: false }, 'downloaded all results of the batch X'],
  ['settings.sessions', {}, 'signed out other sessions'],
  ['settings.sessions', { ended: 1 }, 'signed out 1 session'],
  ['settings.callback-secret', { change: 'rolled' }, 'rolled the callback secret'],
  ['settings.callback-secret', { change: 'old one ended' }, 'ended the old callback secret'],
  ['settings.retention', { hours: null }, "set the retention to the service's default"],
  ['settings.retention', { hours: null, batches_ended: 0 }, "set the retention to the service's default"],
  [
    'settings.retention',
    { hours: 1, batches_ended: 1 },
    'set the retention to 1 hour. The results of 1 batch ended with that',
  ],
  ['settings.retention', { hours: 24 }, 'set the retention to 24 hours'],
  ['address.export', {}, 'exported the data about an address'],
  ['account.password', {}, 'set a new password, which signed out all sessions'],
] as const)('tells %s %o', (action, details, text) => {
  expect(say(action, details)).toBe(text);
});

it.each([
  ['address.export', [1, 0, 2], 'exported', '1 result and 2 stored responses were in the file'],
  ['address.erase', [1, 4, 0], 'erased', '1 result and 4 rows were deleted'],
  ['address.erase', [1, 0, 0], 'erased', '1 result was deleted'],
  ['address.erase', [0, 0, 0], 'erased', 'No data was found'],
] as const)('tells %s of %j results, rows and responses', (action, counts, verb, found) => {
  const [results, list_rows, responses] = counts;
  const text = `${verb} the data about an address. ${found}`;
  expect(say(action, { results, list_rows, responses })).toBe(text);
});

it.each([
  [false, false, 'It keeps a client secret, and has no device flow'],
  [true, false, 'It keeps a client secret, and may use the device flow'],
  [false, true, 'It keeps no client secret, and has no device flow'],
  [true, true, 'It keeps no client secret, but may use the device flow'],
])('tells app.create with device: %s and public: %s', (device, isPublic, text) => {
  expect(say('app.create', { device, public: isPublic })).toBe(`created the app X. ${text}`);
});

it('shows each moment of a row in one time zone: that of its reader', async () => {
  const { visitor, record } = await start();
  await record({ action: 'key.roll', subject: shop, details: { overlap_seconds: 604_800 } });
  await visitor.open('/dashboard/audit');
  const row = visitor.document.querySelector('tbody tr')!;
  const times = [...row.querySelectorAll('time')];
  const [rolled, end] = times.map((time) => Date.parse(time.getAttribute('datetime')!));
  expect(end! - rolled!).toBe(604_800_000);
  for (const time of times) time.remove();
  expect(row.textContent).not.toContain('UTC');
});

it('lists the details that the sentence does not tell', () => {
  const { text, more } = sayAuditEvent(
    entry('key.create', { last4: 'ab12', trusted_domains: 'a b', note: null }),
  );
  expect(withoutIsolates(text)).toBe('created the key X, which ends in ab12');
  expect(more).toEqual(['trusted domains: a b']);
});

it('keeps the direction of a name to itself', () => {
  expect(sayAuditEvent(entry('key.change', {}, 'a\u2069b\u2067')).text).toBe(
    'changed the key \u2068ab\u2069',
  );
});

it('falls back on ids, and on the action of a newer release', () => {
  expect(say('key.change', {}, null)).toBe('changed the key id_1');
  expect(withoutIsolates(sayAuditEvent({ ...entry('key.change', {}, null), subject_id: null }).text)).toBe(
    'changed the key without a name',
  );
  expect(sayAuditEvent(entry('planet.move')).text).toBe('planet.move');
  expect(sayAuditEvent(entry('constructor')).text).toBe('constructor');
  expect(sayActor({ actor: 'key', actor_name: '…ab12' })).toBe('The key …ab12');
  expect(sayActor({ actor: 'service', actor_name: 'service' })).toBe('The service');
});

describe('too many changes of an owner', () => {
  it('are refused, because each is a row for ever, but what stops something goes on', async () => {
    const { person, visitor, record } = await start();
    const changes = Array.from({ length: MOST_CHANGES }, () => ({
      ...{ account_id: person.id, actor: 'owner' as const, actor_name: person.email, action: 'app.deny' },
    }));
    await db.insertInto('audit').values(changes).execute();
    await expect(record({ action: 'app.allow' })).rejects.toMatchObject({ code: 'tooManyChanges' });
    await visitor.open('/dashboard/settings');
    await visitor.press('Save', { keep: 'other', hours: '5' });
    expect([visitor.status, visitor.text]).toEqual([429, expect.stringContaining('1,000 changes')]);
    await record({ action: 'key.revoke', subject: shop });
    await record({ action: 'key.roll', subject: shop, actor: { kind: 'operator' } });
    await run`update audit set at = to_timestamp(0) where account_id = ${person.id}`;
    await record({ action: 'app.allow' });
  });

  it('are counted although others write between them', async () => {
    const { person, record } = await start();
    const of = (actor: 'owner' | 'operator', action: string, count: number) =>
      Array.from({ length: count }, () => ({ account_id: person.id, actor, actor_name: 'x', action }));
    for (const rows of [
      of('owner', 'app.deny', MOST_CHANGES - 1),
      of('owner', 'settings.password', 2_500),
      of('operator', 'batch.create', 2_500),
    ])
      await db.insertInto('audit').values(rows).execute();
    await record({ action: 'app.allow' });
    await expect(record({ action: 'app.allow' })).rejects.toMatchObject({ code: 'tooManyChanges' });
  });
});
