import { describe, expect, it } from 'vitest';
import { pauseBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { makeResults } from '../../batch/results/results.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { Visitor } from '../../support/visitor.ts';
import { cellsOf, signInSomebody, texts } from './person.ts';

const { db, run } = await testDatabase();

const CAPTION = 'Each distinct address counts once';
const ONE = [{ email: 'a@x.example' }];

describe('the list of batches', () => {
  it('asks whoever has not signed in to do so, and comes back', async () => {
    const { service, email } = await signInSomebody(db);
    const stranger = await new Visitor(service.app).open('/dashboard/batches');
    expect((await stranger.signIn({ email })).location).toBe('/dashboard/batches');
  });

  it('says what to do first', async () => {
    const { visitor } = await signInSomebody(db);
    await visitor.open('/dashboard/batches');
    expect(visitor.text).toContain('Verify a whole list');
    expect(visitor.document.querySelector('.empty a')!.getAttribute('href')).toBe('/dashboard/batches/new');
    expect(visitor.document.title).toBe('Batches – Dashboard – Email verification');
  });

  it('shows how much the batches store, and their limits', async () => {
    const { id: account_id, visitor } = await signInSomebody(db);
    await run`update accounts set stored_entries = 2000000, open_batches = 7 where id = ${account_id}`;
    const stored = { account_id, mode: 'live', entries: 12_345, open_batches: 3 } as const;
    await db.insertInto('batch_storage').values(stored).execute();
    await visitor.open('/dashboard/batches');
    expect(texts(visitor, '[aria-labelledby="storage"] dd')).toEqual([
      '12,345 of 2,000,000 stored entries, 3 of 7 open batches',
      '0 of 100,000 stored entries, 0 of 7 open batches',
    ]);
  });

  it('shows how far each batch is, and the states of those that are completed', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    const made = [
      { email: 'a@x.example', duplicates: 1_299 },
      { email: 'b@x.example', reason: 'timeout' as const },
      { email: 'c@x.example', reason: 'rejected_email' as const },
    ];
    await makeResults(db, made, { accountId, name: 'Spring <b>.csv' });
    const paused = await makeResults(db, made, { accountId, open: 2, mode: 'live', name: 'Paused.csv' });
    await pauseBatch(db, { id: paused.id });
    const open = await makeResults(db, made, { accountId, open: 2 });
    await run`update batches set created_at = '2026-10-12 14:20:00Z' where account_id = ${accountId}`;
    await run`update batches set created_at = '2026-10-12 14:21:00Z' where id = ${open.id}`;
    await run`update batches set created_at = '2026-10-12 14:19:00Z' where name = 'Spring <b>.csv'`;
    await visitor.open('/dashboard/batches');
    const dashes = ['–', '–', '–', '–'];
    expect(cellsOf(visitor, CAPTION)).toEqual([
      [
        `Batch of 12 Oct 2026, 14:21 UTC test key · ${open.id.slice(0, 8)}…`,
        ...['Verifying 1 of 3', '3', ...dashes],
      ],
      ['Paused.csv 12 Oct 2026, 14:20 UTC', 'Paused 1 of 3', '3', ...dashes],
      ['Spring <b>.csv 12 Oct 2026, 14:19 UTC · test key', 'Completed', '3', '1', '0', '1', '1'],
    ]);
    expect(visitor.document.querySelector('[data-live]')!.id).toBe('batches');
    const links = visitor.links('tbody a');
    expect(links[0]).toBe(`/dashboard/batches/${open.id}`);
  });

  it('is not read again when every batch is completed', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    await makeResults(db, ONE, { accountId });
    await visitor.open('/dashboard/batches');
    expect(visitor.document.querySelector('[data-live]')).toBeNull();
  });

  it('has pages of 25, and shows each batch once', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    for (let count = 0; count < 26; count += 1)
      await makeResults(db, ONE, { accountId, name: `List ${count}` });
    // Batches of one moment have an order, too.
    await run`update batches set created_at = '2026-10-12 14:20:00Z' where account_id = ${accountId}`;
    await visitor.open('/dashboard/batches');
    const first = texts(visitor, 'tbody a');
    expect(texts(visitor, 'nav.split a')).toEqual(['Older batches']);
    // The pages of the site have this name.
    expect(visitor.navigations).not.toContain('Pages');
    await visitor.openLink('nav.split a');
    const second = texts(visitor, 'tbody a');
    expect([first.length, second.length, new Set([...first, ...second]).size]).toEqual([25, 1, 26]);
    expect(texts(visitor, 'nav.split a')).toEqual(['Newest batches']);
  });

  it('shows the newest ones for what is not the id of a batch, and says when there are no older ones', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    const { id } = await makeResults(db, ONE, { accountId });
    await visitor.open("/dashboard/batches?before='x");
    expect(cellsOf(visitor, CAPTION)).toHaveLength(1);
    await visitor.open(`/dashboard/batches?before=${id}`);
    expect(visitor.text).toContain('There are no older batches.');
  });

  it('shows nothing of other accounts', async () => {
    await makeResults(db, ONE, { accountId: await makeAccount(db), name: 'Secret.csv' });
    const { visitor } = await signInSomebody(db);
    expect((await visitor.open('/dashboard/batches')).text).not.toContain('Secret.csv');
  });

  it('finds batches by name, state and day, in any order, and says so in its title', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    const made = [...ONE, { email: 'b@x.example' }];
    const days = ['2026-10-12', '2026-10-13', '2026-10-14'];
    const lists = [
      await makeResults(db, ONE, { accountId, name: 'Zebra 50%_.csv' }),
      await makeResults(db, made, { accountId, name: 'apple.csv' }),
      await makeResults(db, made, { accountId, name: 'Mango.csv', open: 1 }),
    ];
    for (const [index, { id }] of lists.entries())
      await run`update batches set created_at = ${`${days[index]} 23:59:59Z`}::timestamptz where id = ${id}`;
    await pauseBatch(db, { id: lists[2]!.id });
    const look = async (query: string) => {
      await visitor.open(`/dashboard/batches?${query}`);
      return texts(visitor, 'tbody a');
    };
    expect(await look('')).toEqual(['Mango.csv', 'apple.csv', 'Zebra 50%_.csv']);
    expect(await look('q=APP')).toEqual(['apple.csv']);
    expect(await look('q=%25_')).toEqual(['Zebra 50%_.csv']);
    expect(await look(`q=${lists[2]!.id.slice(0, 8).toUpperCase()}`)).toEqual(['Mango.csv']);
    expect(await look('state=paused')).toEqual(['Mango.csv']);
    expect(await look('state=verifying')).toEqual([]);
    expect(visitor.text).toContain('No batch matches. Show all batches');
    expect(await look('day=2026-10-13')).toEqual(['apple.csv']);
    expect(await look('sort=oldest')).toEqual(['Zebra 50%_.csv', 'apple.csv', 'Mango.csv']);
    expect(await look('sort=name')).toEqual(['apple.csv', 'Mango.csv', 'Zebra 50%_.csv']);
    expect((await look('sort=size')).at(-1)).toBe('Zebra 50%_.csv');
    expect(await look('state=completed&sort=name&q=csv')).toEqual(['apple.csv', 'Zebra 50%_.csv']);
    const said = 'Batches: “csv”, completed, name, a to z – Dashboard – Email verification';
    expect(visitor.document.title).toBe(said);
    const chosen = [...visitor.document.querySelectorAll('option[selected]')].map((option) =>
      option.getAttribute('value'),
    );
    expect([visitor.valueOf('Name contains'), chosen]).toEqual(['csv', ['completed', 'name']]);
  });

  it('finds batches by the day in the time zone of the visitor, and names it', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    const times = [
      '2026-10-12T14:59:59Z',
      '2026-10-12T15:00:00Z',
      '2026-10-13T14:59:59Z',
      '2026-10-13T15:00:00Z',
    ];
    for (const [index, at] of times.entries()) {
      const { id } = await makeResults(db, ONE, { accountId, name: `${index}` });
      await run`update batches set created_at = ${at}::timestamptz where id = ${id}`;
    }
    const look = async (query: string) => {
      await visitor.open(`/dashboard/batches?${query}`);
      const zone = visitor.document.querySelector('input[name="zone"]')!;
      const sent = zone.hasAttribute('disabled') ? undefined : zone.getAttribute('value');
      return [texts(visitor, 'tbody a').join(), texts(visitor, 'label[for="day"]')[0], sent];
    };
    // Tokyo is nine hours ahead. The filter keeps its zone, also if the next visitor has another one.
    const tokyo = ['2,1', 'Created on (Asia/Tokyo)', 'Asia/Tokyo'];
    expect(await look('day=2026-10-13&zone=Asia/Tokyo')).toEqual(tokyo);
    expect(await look('day=2026-10-13')).toEqual(['3,2', 'Created on (UTC)', 'UTC']);
    expect(await look('day=2026-10-13&zone=Nowhere')).toEqual(['3,2', 'Created on (UTC)', 'UTC']);
    // Without a day, the script of the page sends the zone of the visitor with the next one.
    expect(await look('day=&zone=Asia/Tokyo')).toEqual(['3,2,1,0', 'Created on (UTC)', undefined]);
  });

  it('keeps the time zone of the day on the next page', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    for (let count = 0; count < 26; count += 1) await makeResults(db, ONE, { accountId });
    await run`update batches set created_at = '2026-10-12T20:00:00Z' where account_id = ${accountId}`;
    await visitor.open('/dashboard/batches?day=2026-10-13&zone=Asia/Tokyo&sort=name');
    await visitor.openLink('nav.split a');
    expect(cellsOf(visitor, CAPTION)).toHaveLength(1);
  });

  it('ignores what nobody could have chosen', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    await makeResults(db, ONE, { accountId });
    for (const query of [
      'day=2026-02-30',
      "day='x",
      'state=toString',
      'sort=constructor',
      'q=%20',
      'page=0',
      'zone=%00',
      `zone=${'x'.repeat(2_000)}`,
    ]) {
      await visitor.open(`/dashboard/batches?${query}`);
      expect([query, cellsOf(visitor, CAPTION).length]).toEqual([query, 1]);
    }
  });

  it('has pages in every order, and shows each batch once', async () => {
    const { id: accountId, visitor } = await signInSomebody(db);
    for (let count = 0; count < 26; count += 1)
      await makeResults(db, ONE, { accountId, name: `List ${count}` });
    await visitor.open('/dashboard/batches?sort=name&q=list');
    const first = texts(visitor, 'tbody a');
    expect(texts(visitor, 'nav.split a')).toEqual(['Next batches']);
    await visitor.openLink('nav.split a');
    expect(new Set([...first, ...texts(visitor, 'tbody a')]).size).toBe(26);
    expect(texts(visitor, 'nav.split a')).toEqual(['Previous batches']);
    await visitor.openLink('nav.split a');
    expect(texts(visitor, 'tbody a')).toEqual(first);
  });
});
