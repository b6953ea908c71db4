/** The data about an address, as the owner looks it up, exports and erases it. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { inLong } from '../../../in-long.ts';
import { storeBatch } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { type StoredServiceOptions, storeKey } from '../../support/stored-service.ts';
import { makeMember, makePerson, Visitor } from '../../support/visitor.ts';
import { deedsOf, doneMessage, openSettings, problemOf } from './person.ts';

const database = await testDatabase();
const { db } = database;

const PAGE = '/dashboard/settings/address';

async function start(options: StoredServiceOptions = {}) {
  const opened = await openSettings(db, options);
  const { key } = await storeKey(db, opened.person.id);
  const send = async (emails: string[]) => {
    const answer = await opened.ask({
      ...{ method: 'POST', url: '/v1/batch', payload: { emails } },
      headers: { authorization: `Bearer ${key}` },
    });
    return answer.json<{ id: string }>().id;
  };
  return { ...opened, send };
}
const lookUp = async (visitor: Visitor, address: string) => {
  await visitor.open(PAGE);
  return visitor.press('Look up', { 'Email address': address });
};

/** Stores the list of a batch, or a draft, whose rows all have the address. */
async function storeList(
  account_id: string,
  batch_id: string | null,
  name = 'people <1>.csv',
  row_count = 1,
) {
  const id = randomBytes(12).toString('hex');
  const facts = { columns: 1, header: null, row_count, address_column: 0 };
  const list = { id, account_id, batch_id, name, ...facts };
  await db.insertInto('lists').values(list).execute();
  const row = { list_id: id, cells: '["Ada@example.org"]', place: batch_id === null ? null : 0 };
  const rows = Array.from({ length: row_count }, (_, number) => ({ ...row, number }));
  await db.insertInto('list_rows').values(rows).execute();
}

/** A batch and a list that have the address. */
async function startWithAda() {
  const started = await start();
  const { person, send } = started;
  const id = await send(['Ada@example.org', 'ada@example.org', 'bo@example.org']);
  await db.updateTable('batches').set({ name: 'people <1>.csv' }).where('id', '=', id).execute();
  await storeList(person.id, id);
  return { ...started, id };
}

it('says what is stored, and exports it as a file', async () => {
  const { visitor, person, id } = await startWithAda();
  await lookUp(visitor, ' ADA@example.org ');
  expect([visitor.status, visitor.valueOf('Email address')]).toEqual([200, 'ADA@example.org']);
  expect(visitor.document.querySelector('#found')!.textContent).toBe('Data about ADA@example.org');
  const [results, rows] = [...visitor.document.querySelectorAll('tbody')];
  expect(results!.textContent).toMatch(/^people <1>\.csv\d.*2$/);
  expect(results!.querySelector('a')!.getAttribute('href')).toBe(`/dashboard/batches/${id}`);
  expect(rows!.textContent).toBe('people <1>.csv1Ada@example.org');

  await visitor.press('Export as JSON');
  expect(visitor.response.headers['content-disposition']).toBe('attachment; filename="address-export.json"');
  expect(visitor.response.headers['cache-control']).toBe('no-store');
  expect(visitor.response.json()).toMatchObject({
    address: 'ADA@example.org',
    batches: [{ id, entries: 2, written_as: 'Ada@example.org', result: { email: 'Ada@example.org' } }],
    list_rows: [{ list: 'people <1>.csv', batch: id, row: 1, header: null, cells: ['Ada@example.org'] }],
    stored_responses: [],
    live_verifications: 0,
  });

  expect((await deedsOf(db, person.id)).slice(1)).toMatchObject([
    { action: 'address.export', details: { results: 1, list_rows: 1, responses: 0 } },
  ]);
});

it('erases the address, and says how much that was', async () => {
  const { visitor, person } = await startWithAda();
  await lookUp(visitor, 'ada@example.org');
  await visitor.press('Erase the address');
  expect([visitor.status, visitor.location]).toEqual([303, `${PAGE}?done=1-1-0-0-0`]);
  await visitor.follow();
  const said = 'The address was erased: 1 result, 1 row of your lists. The counts of your batches stay.';
  expect(doneMessage(visitor)).toBe(said);
  await lookUp(visitor, 'ada@example.org');
  expect(visitor.text).toContain('Your account has no data about this address.');
  expect(visitor.has('Export as JSON')).toBe(false);
  expect((await deedsOf(db, person.id)).slice(1)).toMatchObject([
    { action: 'address.erase', details: { results: 1, list_rows: 1, responses: 0 } },
  ]);
});

it('looks up, exports and erases an address with a hyphen', async () => {
  const { visitor, send } = await start();
  await send(['no-reply@a.co']);
  await lookUp(visitor, 'no-reply@a.co');
  expect(visitor.status).toBe(200);
  await visitor.press('Export as JSON');
  expect(visitor.response.json()).toMatchObject({ batches: [{ written_as: 'no-reply@a.co' }] });
  await lookUp(visitor, 'no-reply@a.co');
  expect((await visitor.press('Erase the address')).location).toBe(`${PAGE}?done=1-0-0-0-0`);
});

it('tells lists of the same name apart, and leaves out what there is none of', async () => {
  const { visitor, person, id } = await startWithAda();
  await storeList(person.id, null);
  await lookUp(visitor, 'ada@example.org');
  const rows = [...visitor.document.querySelectorAll('[aria-label="Rows of your lists"] tbody tr')];
  const said = rows.map((each) => [
    each.querySelector('a')?.getAttribute('href'),
    each.textContent.includes('Not started'),
  ]);
  expect(said).toEqual([
    [`/dashboard/batches/${id}`, false],
    [undefined, true],
  ]);
  expect(visitor.text).not.toMatch(/\b0 (responses|live verifications|names|keys)/);
});

it('erases names, and says what stays and why', async () => {
  const { visitor, send, ask, person } = await start();
  const id = await send(['bo@example.org']);
  const url = 'https://example.net/?user=ada%40example.org';
  await db.updateTable('batches').set({ name: 'ada@example.org.csv', url }).where('id', '=', id).execute();
  const { key } = await storeKey(db, person.id);
  await ask({
    ...{ method: 'POST', url: '/v1/verify', payload: { email: 'bo@example.org' } },
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'for ada@example.org' },
  });
  await lookUp(visitor, 'ada@example.org');
  expect(visitor.text).toContain('1 name of lists, batches or columns');
  const stays = visitor.document.querySelector('.warning')!.textContent;
  expect(stays).toContain('The callback URL of ada@example.org.csv, because callbacks are sent there.');
  expect(stays).toContain('1 key that came as an Idempotency-Key.');
  await visitor.press('Export as JSON');
  expect(visitor.response.json()).toMatchObject({
    names: ['ada@example.org.csv'],
    callback_urls: [{ batch: id, url }],
    idempotency_keys: 1,
  });
  await lookUp(visitor, 'ada@example.org');
  await (await visitor.press('Erase the address')).follow();
  expect(doneMessage(visitor)).toMatch(/^The address was erased: 1 name\. /);
  await lookUp(visitor, 'ada@example.org');
  expect([visitor.has('Export as JSON'), visitor.has('Erase the address')]).toEqual([true, false]);
  await visitor.open(`${PAGE}?done=0-0-0-0-0`);
  expect(doneMessage(visitor)).toMatch(/^There was no data to erase\./);
});

it('names the batches that run, and what to do about them', async () => {
  const { visitor, person } = await start();
  await storeBatch(db, person.id, ['ada@example.org'], { id: 'cd'.repeat(12) });
  await lookUp(visitor, 'ada@example.org');
  expect(visitor.document.querySelector('.warning')!.textContent).toContain(`Batch ${'cd'.repeat(12)}`);
  expect(visitor.text).toContain('not verified yet');
  expect(visitor.text).toContain('Wait until they are completed, or delete them');
  expect([visitor.has('Export as JSON'), visitor.has('Erase the address')]).toEqual([true, false]);
});

it('exports and erases what is kept for an Idempotency-Key', async () => {
  const { visitor, ask, person } = await start();
  const { key } = await storeKey(db, person.id);
  await ask({
    ...{ method: 'POST', url: '/v1/verify', payload: { email: 'ada@example.org' } },
    headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'one' },
  });
  await lookUp(visitor, 'ada@example.org');
  expect(visitor.text).toContain('1 response to requests with an Idempotency-Key.');
  await visitor.press('Export as JSON');
  expect(visitor.response.json()).toMatchObject({
    batches: [],
    stored_responses: [{ response: { email: 'ada@example.org' } }],
  });
  await lookUp(visitor, 'ada@example.org');
  expect((await visitor.press('Erase the address')).location).toBe(`${PAGE}?done=0-0-0-1-0`);
});

it('says that an address is the suggestion for another one', async () => {
  const { visitor, send } = await start();
  await send(['jane@gmial.com']);
  await lookUp(visitor, 'jane@gmail.com');
  expect(visitor.text).toContain('This is the suggestion for another address.');
  await visitor.press('Export as JSON');
  const [found] = visitor.response.json<{ batches: object[] }>().batches;
  expect(found).toMatchObject({ found_as: 'suggestion' });
  // It is about somebody else.
  expect(JSON.stringify(found)).not.toContain('gmial');
});

it('shows the first hundred of many, and says so', async () => {
  const { visitor, person } = await start();
  await storeList(person.id, null, 'many.csv', 120);
  await lookUp(visitor, 'ada@example.org');
  expect(visitor.document.querySelectorAll('tbody tr')).toHaveLength(100);
  expect(visitor.text).toContain('120 rows of your lists. The first 100 are shown');
});

it('says that the address of the account itself stays', async () => {
  const { visitor, person } = await start();
  await lookUp(visitor, person.email);
  expect(visitor.text).toContain('This is the address that you sign in with.');
});

it('finds nothing of another account', async () => {
  const one = await start();
  await one.send(['ada@example.org']);
  const { visitor } = await start();
  await lookUp(visitor, 'ada@example.org');
  expect(visitor.text).toContain('Your account has no data about this address.');
});

it.each([
  ['', 'Type an address to look up.'],
  ['x'.repeat(1001), 'Expected an address of at most 1000 characters, got 1001.'],
])('does not look for %j, export or erase it', async (address, why) => {
  const { visitor, person } = await start();
  const { sent } = (await visitor.open(PAGE)).formOf('Look up');
  for (const path of ['', '/export', '/erase']) {
    await visitor.post(`${PAGE}${path}`, { ...sent, address });
    expect([visitor.status, problemOf(visitor)]).toEqual([422, expect.stringContaining(why)]);
    expect(visitor.valueOf('Email address')).toBe(address);
  }
  const { address: _address, ...without } = sent;
  expect((await visitor.post(PAGE, without)).status).toBe(422);
  expect(await deedsOf(db, person.id)).toEqual([]);
});

it('says nothing of counts that it has not written', async () => {
  const { visitor } = await start();
  for (const done of ['1-2', 'x', '<b>', '1-2-3-4', '1-2-3-4-5-6', '9999999999-1-1-1-1'])
    expect(doneMessage(await visitor.open(`${PAGE}?done=${done}`))).toBeUndefined();
});

it('shows a page of the settings without a message for a change that there is not', async () => {
  const { visitor } = await start();
  for (const done of ['nothing', 'toString', '']) {
    await visitor.open(`/dashboard/settings?done=${done}`);
    expect([visitor.status, doneMessage(visitor)]).toEqual([200, undefined]);
  }
});

it('looks up one address of an account at a time: sixty at once held up the requests of others', async () => {
  const connected = database.connect(10);
  const { visitor, newVisitor, signIn } = await openSettings(connected);
  const visitors = [visitor, await signIn(), await signIn()];
  const other = await newVisitor().signIn(await makePerson(db));
  for (const one of [...visitors, other]) await one.open(PAGE);
  const look = (one: Visitor) => one.press('Look up', { 'Email address': 'ada@example.org' });
  const blocked = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_locks where relation = 'lists'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())
    `.execute(db);
    return rows[0]!.count;
  };
  const looks = await connected.transaction().execute(async (transaction) => {
    await sql`lock table lists in access exclusive mode`.execute(transaction);
    const begun = visitors.map(look);
    await expect.poll(blocked).toBe(1);
    begun.push(look(other));
    await expect.poll(blocked).toBe(2);
    return begun;
  });
  await Promise.all(looks);
  expect(looks).toHaveLength(4);
  expect([...visitors, other].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

inLong('asks for patience when too many searches wait', async () => {
  const connected = database.connect(10);
  const { newVisitor } = await openSettings(connected);
  // Four pages of an account are made at once.
  const visitors: Visitor[] = [];
  for (let account = 0; account < 14; account += 1) {
    const visitor = await newVisitor().signIn(await makePerson(db));
    await visitor.open(PAGE);
    visitors.push(visitor);
  }
  const seen: [number, string | undefined][] = [];
  const look = async (visitor: Visitor) => {
    const { action, sent } = visitor.formOf('Look up');
    const { status } = await visitor.post(action, { ...sent, address: 'ada@example.org' });
    seen.push([status, problemOf(visitor)]);
  };
  const looks = await connected.transaction().execute(async (transaction) => {
    await sql`lock table lists in access exclusive mode`.execute(transaction);
    const begun = visitors.flatMap((visitor) => Array.from({ length: 4 }, () => look(visitor)));
    await expect.poll(() => seen.length).toBe(4);
    return begun;
  });
  await Promise.all(looks);
  for (const refused of seen.slice(0, 4))
    expect(refused).toEqual([503, expect.stringContaining('Try again in a moment.')]);
  expect(seen.slice(4).map(([status]) => status)).toEqual(Array(52).fill(200));
});

it('finds a member and an invitation with the address, and says what to do with them', async () => {
  const { visitor, person, app } = await start();
  const admin = await makeMember(db, person.id, 'admin');
  const stranger = await makePerson(db);
  await makeMember(db, stranger.id, 'admin');
  await lookUp(visitor, admin.email.toUpperCase());
  expect(visitor.text).toContain('a person with this address is an admin of this account');
  expect(visitor.document.querySelector('.found a')!.getAttribute('href')).toBe('/dashboard/members');
  expect(visitor.has('Erase the address')).toBe(false);
  await visitor.press('Export as JSON');
  expect(visitor.response.json()).toMatchObject({ membership: { role: 'admin' }, invitation: null });

  await visitor.open('/dashboard/members');
  await visitor.press('Invite', { Email: 'guest@example.org', Role: 'viewer' });
  await lookUp(visitor, 'Guest@example.org');
  expect(visitor.text).toContain('An invitation as a viewer, which ends');
  await visitor.press('Export as JSON');
  expect(visitor.response.json()).toMatchObject({
    membership: null,
    invitation: { role: 'viewer', invited_by: person.email },
  });
  // A member is not led to a page that members do not see.
  const member = await new Visitor(app).signIn(await makeMember(db, person.id, 'member'));
  await lookUp(member, admin.email);
  expect(member.text).toContain('which owners and admins see');
  expect(member.document.querySelector('.found a')).toBeNull();
  // People of other accounts are not found.
  await lookUp(visitor, stranger.email);
  expect(visitor.text).toContain('Your account has no data about this address.');
});
