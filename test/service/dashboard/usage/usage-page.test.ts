/** `/dashboard/usage` as a person at a browser without scripts sees it. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { closeLedger } from '../../../../src/service/credits/closing/closing-store.ts';
import type { LedgerReason } from '../../../../src/service/database/schema.ts';
import { topUp } from '../../support/account.ts';
import { createBatch } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { arrive, makePerson, Visitor } from '../../support/visitor.ts';
import { texts } from '../batches/person.ts';

const { db, run } = await testDatabase();

async function start() {
  const { app } = await startStoredService(db);
  const { person, visitor } = await arrive({ app }, db);
  let balance = 0;
  const book = async (at: string, amount: number, why: LedgerReason, of: string | null = null) => {
    balance += amount;
    const row = { account_id: person.id, amount, why, of, balance, at: new Date(at) };
    await db.insertInto('ledger').values(row).execute();
    await run`update accounts set available_credits = ${balance} where id = ${person.id}`;
  };
  return { app, person, visitor, book };
}

/** A year of somebody who verifies now and then. */
async function startWithHistory() {
  const world = await start();
  const { book } = world;
  const of = () => randomBytes(8).toString('hex');
  await book('2025-12-31T23:59:59Z', 1_000, 'top-up', 'Invoice 7');
  await book('2026-01-01T00:00:00Z', -1, 'verification', of());
  await book('2026-01-01T10:00:00Z', -1, 'verification', of());
  await book('2026-01-01T10:00:04Z', 1, 'refund', of());
  await book('2026-02-02T12:00:00Z', 500, 'billing', of());
  await book('2026-02-02T13:00:00Z', -1, 'verification', of());
  return world;
}

const rowsOf = ({ document }: Visitor, part = 'tbody', table = 'main > .scroll') =>
  [...document.querySelectorAll(`${table} ${part} tr`)].map((row) =>
    [...row.querySelectorAll('th, td')].map(({ textContent }) => textContent!.replace(/\s+/g, ' ').trim()),
  );

it('says where credits come from without any so far, and what can be done without', async () => {
  const { visitor } = await start();
  await visitor.open('/dashboard/usage?view=rows');
  expect(visitor.text).toContain('Your account has had no credits yet.');
  expect(visitor.links('.empty .button')).toEqual(['/dashboard/keys/new']);
});

describe('by day', () => {
  it('sums up what has changed, and says how many credits were left', async () => {
    const { visitor } = await startWithHistory();
    await visitor.open('/dashboard/usage');
    expect(rowsOf(visitor)).toEqual([
      ['2 February 2026', '−1', '–', '–', '+500', '+499', '1,498'],
      ['1 January 2026', '−2', '–', '+1', '–', '−1', '999'],
      ['31 December 2025', '–', '–', '–', '+1,000', '+1,000', '1,000'],
    ]);
    expect(rowsOf(visitor, 'tfoot')).toEqual([
      ['Sum of these days', '−3', '–', '+1', '+1,500', '+1,498', ''],
    ]);
    expect(visitor.text).toContain('All changes: 6 changes, +1,498 credits in all.');
  });

  it('narrows down to a month and to a kind of changes', async () => {
    const { visitor } = await startWithHistory();
    await visitor.open('/dashboard/usage?month=2026-01');
    expect(rowsOf(visitor).map(([day]) => day)).toEqual(['1 January 2026']);
    expect(visitor.text).toContain('All changes in January 2026 (UTC): 3 changes, −1 credits in all.');
    await visitor.open('/dashboard/usage?why=verification');
    expect(rowsOf(visitor)).toEqual([
      ['2 February 2026', '−1', '1,498'],
      ['1 January 2026', '−2', '999'],
    ]);
    const chosen = [...visitor.document.querySelectorAll('option[selected]')];
    expect(chosen.map(({ textContent }) => textContent)).toEqual(['All', 'Verifications', 'Day']);
    await visitor.open('/dashboard/usage?month=2026-02&why=batch');
    expect(visitor.text).toContain('There are no such changes.');
  });

  it('has pages of a month, to and fro', async () => {
    const { visitor, book } = await start();
    for (let day = 0; day < 40; day += 1)
      await book(new Date(Date.UTC(2026, 0, 1 + day)).toISOString(), 1, 'top-up');
    await visitor.open('/dashboard/usage');
    expect([rowsOf(visitor).length, rowsOf(visitor).at(-1)![0]]).toEqual([31, '10 January 2026']);
    expect(texts(visitor, 'nav.split a')).toEqual(['Earlier']);
    await visitor.openLink('nav.split a');
    expect([rowsOf(visitor).length, rowsOf(visitor)[0]![0]]).toEqual([9, '9 January 2026']);
    expect(texts(visitor, 'nav.split a')).toEqual(['Newest']);
    expect(visitor.links('nav.split a')).toEqual(['/dashboard/usage']);
    // The pages of the site have this name.
    expect(visitor.navigations).not.toContain('Pages');
  });

  it('leads from a day to its changes', async () => {
    const { visitor } = await startWithHistory();
    await visitor.open('/dashboard/usage?why=verification');
    expect(visitor.links('tbody a')[0]).toBe('/dashboard/usage?day=2026-02-02&why=verification');
    await visitor.open('/dashboard/usage?day=2026-01-01');
    expect(rowsOf(visitor).map(([, ...cells]) => cells)).toEqual([
      ['Given back: the result of the verification was unknown', '+1', '999'],
      ['A verification', '−1', '998'],
      ['A verification', '−1', '999'],
    ]);
    expect(visitor.text).toContain('All changes on 1 January 2026 (UTC): 3 changes, −1 credits in all.');
    expect(visitor.text).toContain('All days of January 2026');
  });

  it('sums up all months', async () => {
    const { visitor } = await startWithHistory();
    await visitor.open('/dashboard/usage');
    expect(rowsOf(visitor, 'tbody', '#months .scroll')).toEqual([
      ['February 2026', '+500', '−1', '0', '+499'],
      ['January 2026', '0', '−2', '+1', '−1'],
      ['December 2025', '+1,000', '0', '0', '+1,000'],
    ]);
  });
});

describe('each change', () => {
  it('says why, and leads to the batch as long as it is there', async () => {
    const { visitor, person, book } = await start();
    await book('2026-01-01T00:00:00Z', 9_000, 'top-up', 'Invoice <7>');
    await book('2026-01-02T00:00:00Z', 20, 'top-up');
    await book('2026-01-03T00:00:00Z', 30, 'billing', 'x'.repeat(8));
    const { id } = await createBatch(db, 3, { accountId: person.id, mode: 'test' });
    const foreign = await createBatch(db, 3, { mode: 'test' });
    await db.updateTable('batches').set({ name: 'News & more.csv' }).where('id', '=', id).execute();
    await book('2026-01-04T00:00:00Z', -4_800, 'batch', id);
    await book('2026-01-05T00:00:00Z', 12, 'batch-refund', id);
    await book('2026-01-06T00:00:00Z', -1, 'batch', foreign.id);
    await visitor.open('/dashboard/usage?view=rows');
    expect(rowsOf(visitor).map(([, ...cells]) => cells)).toEqual([
      ['Batch that was deleted: 1 address', '−1', '4,261'],
      ['Given back for News & more.csv: 12 addresses unknown or not verified', '+12', '4,262'],
      ['Batch News & more.csv: 4,800 addresses', '−4,800', '4,250'],
      ['Added by billing', '+30', '9,050'],
      ['Added by the operator', '+20', '9,020'],
      ['Added by the operator: Invoice <7>', '+9,000', '9,000'],
    ]);
    expect(rowsOf(visitor, 'tfoot')).toEqual([['Sum of these changes', '', '+4,261', '']]);
    expect(visitor.links('td.why a')).toEqual([`/dashboard/batches/${id}`, `/dashboard/batches/${id}`]);
  });

  it('has pages that keep what was chosen', async () => {
    const { visitor, book } = await start();
    for (let number = 0; number < 60; number += 1) await book('2026-01-01T00:00:00Z', 1, 'top-up');
    await book('2026-02-01T00:00:00Z', -1, 'verification', randomBytes(8).toString('hex'));
    await visitor.open('/dashboard/usage?view=rows&why=top-up&month=2026-01');
    expect(rowsOf(visitor)).toHaveLength(50);
    const earlier = visitor.document.querySelector('nav.split a')!.getAttribute('href')!;
    expect(earlier).toMatch(/^\/dashboard\/usage\?month=2026-01&why=top-up&view=rows&before=\d+$/);
    await visitor.open(earlier);
    expect([rowsOf(visitor).length, rowsOf(visitor).at(-1)!.at(-1)]).toEqual([10, '1']);
    const newest = visitor.document.querySelector('nav.split a')!.getAttribute('href');
    expect(newest).toBe('/dashboard/usage?month=2026-01&why=top-up&view=rows');
  });

  it('is of the own account only', async () => {
    const { visitor, person } = await start();
    await topUp(db, person.id, 5);
    await topUp(db, (await makePerson(db)).id, 77);
    await visitor.open('/dashboard/usage?view=rows');
    expect(rowsOf(visitor)).toHaveLength(1);
    expect((await visitor.open('/dashboard/usage.csv')).response.body.split('\r\n')).toHaveLength(3);
  });
});

it.each([
  '?month=2026-13',
  '?month=x&why=x&view=x&before=x',
  '?why=__proto__',
  '?day=2026-02-30',
  '?before=99999999999999999999',
  '?month=2026-01&month=2026-02',
  '?day=%00',
])('takes an address that makes no sense for one that says nothing: %s', async (query) => {
  const { visitor } = await startWithHistory();
  await visitor.open(`/dashboard/usage${query}`);
  expect([visitor.status, rowsOf(visitor).length > 0]).toEqual([200, true]);
  expect((await visitor.open(`/dashboard/usage.csv${query}`)).status).toBe(200);
});

describe('as a file', () => {
  it('has every change that was chosen, the latest first, and nothing that a spreadsheet would run', async () => {
    const { visitor, person, book } = await start();
    await book('2026-01-01T00:00:00Z', 9, 'top-up', '=HYPERLINK("x"), "quoted"');
    const { id } = await createBatch(db, 3, { accountId: person.id, mode: 'test' });
    await db.updateTable('batches').set({ name: '-list.csv' }).where('id', '=', id).execute();
    await book('2026-01-02T00:00:00Z', -3, 'batch', id);
    await book('2026-02-02T00:00:00Z', -1, 'verification', 'v');
    await visitor.open('/dashboard/usage.csv?month=2026-01');
    const { headers, body } = visitor.response;
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="credits-2026-01.csv"',
      'cache-control': 'private, no-store',
    });
    expect(body.split('\r\n')).toEqual([
      '\ufefftime,credits,why,of,batch,balance',
      `2026-01-02T00:00:00.000Z,-3,Batches,${id},'-list.csv,6`,
      '2026-01-01T00:00:00.000Z,9,Added by the operator,"\'=HYPERLINK(""x""), ""quoted""",,9',
      '',
    ]);
    await visitor.open('/dashboard/usage');
    const link = visitor.document.querySelector('a[href$=".csv"]')!.getAttribute('href');
    expect(link).toBe('/dashboard/usage.csv');
  });

  it('has more rows than one query returns', async () => {
    const { visitor, person } = await start();
    await run`
      insert into ledger (account_id, amount, why, balance)
      select ${person.id}, 1, 'top-up', n from generate_series(1, 2500) as n
    `;
    await visitor.open('/dashboard/usage.csv');
    const balances = visitor.response.body
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => Number(line.split(',').at(-1)));
    expect(balances).toEqual(Array.from({ length: 2500 }, (_, index) => 2500 - index));
    await run`delete from ledger where account_id = ${person.id} and balance > 2000`;
    await visitor.open('/dashboard/usage.csv');
    expect(visitor.response.body.trim().split('\r\n')).toHaveLength(2001);
  });

  it('asks for a sign-in first, and makes nothing for a HEAD', async () => {
    const { app, person, visitor } = await start();
    await topUp(db, person.id, 5);
    expect((await new Visitor(app).open('/dashboard/usage.csv')).has('Sign in')).toBe(true);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const head = await app.inject({ method: 'HEAD', url: '/dashboard/usage.csv', headers: { cookie } });
    expect(head.statusCode).toBe(200);
    expect(head.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(head.body).toBe('');
  });
});

it('keeps the totals of months whose changes were closed, on the page and in the file', async () => {
  const { visitor, book } = await startWithHistory();
  await book('2026-10-05T12:00:00Z', 7, 'top-up');
  await visitor.open('/dashboard/usage');
  const totals = () => visitor.document.querySelector('#months table')!.textContent;
  const before = totals();
  // Everything until the day before that of the last change.
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from clock_timestamp() - '2026-10-05T00:00:00Z'::timestamptz)::integer as seconds
  `.execute(db);
  // Other tests have made newer rows with smaller ids.
  while (await closeLedger(db, rows[0]!.seconds, 5_000));
  await visitor.open('/dashboard/usage');
  expect(totals()).toBe(before);
  expect(visitor.text).toContain('All changes: 7 changes, +1,505 credits in all.');
  // One of them is in the table.
  expect(visitor.text).toContain('Older changes are no longer kept one by one.');
  await visitor.open('/dashboard/usage?view=rows');
  expect(visitor.text).toContain('Older changes are no longer kept one by one.');
  expect((await visitor.open('/dashboard/usage?month=2026-10')).text).not.toContain('no longer kept');
  await visitor.open('/dashboard/usage?month=2026-01');
  expect(visitor.text).toContain('All changes in January 2026 (UTC): 3 changes, −1 credits in all.');
  expect(visitor.text).toContain('The single changes are no longer kept.');
  await visitor.open('/dashboard/usage.csv');
  expect(visitor.response.body.trim().split('\r\n').slice(2)).toEqual([
    '2026-02,500,Added by billing,sum of 1 change,,',
    '2026-02,-1,Verifications,sum of 1 change,,',
    '2026-01,1,Given back for verifications,sum of 1 change,,',
    '2026-01,-2,Verifications,sum of 2 changes,,',
    '2025-12,1000,Added by the operator,sum of 1 change,,',
  ]);
});
