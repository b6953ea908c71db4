import { describe, expect, it } from 'vitest';
import { pauseBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { noteMarks } from '../../../../src/service/batch/pace/pace-store.ts';
import { eraseAddress } from '../../../../src/service/batch/stored-address/erase-address.ts';
import { expire, type MadeAddress, makeList, makeResults } from '../../batch/results/results.ts';
import { topUp } from '../../support/account.ts';
import { createBatch } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import type { Visitor } from '../../support/visitor.ts';
import { cellsOf, type SignedIn, signInSomebody, texts } from './person.ts';

const { db, run } = await testDatabase();

const LIST: readonly MadeAddress[] = [
  { email: 'ada@x.example', score: 100, free: true, accept_all: true, duplicates: 2 },
  { email: 'bob@gmial.example', score: 0, reason: 'rejected_email', did_you_mean: 'bob@gmail.example' },
  { email: '<b>50%_@x.example', score: 40, reason: 'low_quality', disposable: true },
];
const RESULTS = 'Each distinct address once';
const ALL_COLUMNS = { columns: 'all', reasons: 'words', format: 'csv' };
const show = ({ visitor }: SignedIn, id: string, query = '') =>
  visitor.open(`/dashboard/batches/${id}${query}`);
/** Signs somebody in who has a completed batch. */
async function owned(list = LIST, options: Parameters<typeof makeResults>[2] = {}) {
  const person = await signInSomebody(db);
  const made = await makeResults(db, list, { accountId: person.id, ...options });
  return { person, visitor: person.visitor, made, id: made.id };
}
const addressesOf = (visitor: Visitor) => cellsOf(visitor, RESULTS).map(([, address]) => address);

it("has the same page for another account's batch, an unknown one, and what is not an id", async () => {
  const { id } = await makeResults(db, LIST);
  const person = await signInSomebody(db);
  const pages: string[] = [];
  for (const wrong of [id, '0'.repeat(24), 'x', "';--", '%00']) {
    await show(person, wrong);
    expect(person.visitor.status).toBe(404);
    pages.push(person.visitor.text.replace(person.email, ''));
  }
  expect(new Set(pages).size).toBe(1);
  expect(pages[0]).toContain('Your account has no such batch.');
});

describe('a completed batch', async () => {
  it('has its counts by state and reason, and links to the results of each reason', async () => {
    const { person, visitor, id } = await owned(LIST, { name: 'Spring.csv' });
    await show(person, id);
    expect(visitor.document.title).toBe('Spring.csv: completed – Dashboard – Email verification');
    expect(texts(visitor, 'h1, h2')).toEqual(['Spring.csv', 'Completed', 'Results']);
    expect(visitor.text).toContain('3 addresses · created');
    expect(texts(visitor, '#entries')).toEqual(['5 entries were sent. 2 are duplicates and cost nothing.']);
    expect(visitor.text).toContain('All 3 addresses were verified by');
    expect(texts(visitor, '.legend li')).toEqual([
      ...['deliverable 1 33.3 %', 'risky 1 33.3 %', 'undeliverable 1 33.3 %', 'unknown 0 0 %'],
    ]);
    expect(visitor.document.querySelectorAll('.state-bar rect[fill]')).toHaveLength(3);
    expect(
      cellsOf(visitor, 'Results by reason').map(([reason, state, , count]) => [reason, state, count]),
    ).toEqual([
      ['Accepted', 'deliverable', '1'],
      ['Of little use', 'risky', '1'],
      ['No such mailbox', 'undeliverable', '1'],
    ]);
    await visitor.openLink('th a[href*="reason="]');
    expect(addressesOf(visitor)).toEqual(['ada@x.example']);
    expect(visitor.document.querySelector('[data-live]')).toBeNull();
  });

  it('counts accept-all domains as a group of its own, with a filter and a download', async () => {
    const person = await signInSomebody(db);
    const risky = { reason: 'low_deliverability', state: 'risky', score: 70 } as const;
    const { id } = await makeResults(
      db,
      [
        ...[1, 2, 3].map((number) => ({ email: `u${number}@all.example`, ...risky, accept_all: true })),
        { email: 'full@x.example', ...risky, mailbox_full: true },
        { email: 'ada@x.example', score: 100, accept_all: false },
      ],
      { accountId: person.id },
    );
    const { visitor } = await show(person, id).then(() => person);
    expect(texts(visitor, '.legend li')).toEqual([
      ...['deliverable 1 20.0 %', 'accept-all 3 60.0 %', 'other risky 1 20.0 %'],
      ...['undeliverable 0 0 %', 'unknown 0 0 %'],
    ]);
    expect(visitor.document.querySelectorAll('.state-bar rect[fill]')).toHaveLength(3);
    expect(
      cellsOf(visitor, 'Results by reason').map(([reason, state, , count]) => [reason, state, count]),
    ).toEqual([
      ['Accepted', 'deliverable', '1'],
      ['May not arrive', 'risky', '4'],
      ['accept-all', 'risky', '3'],
    ]);
    const download = visitor.document.querySelector('.only:last-of-type a')!;
    expect(download.textContent).toBe('accept-all only');
    expect(download.getAttribute('href')).toMatch(/\/download\?with=accept_all&reasons=words$/);
    await visitor.openLink('th a[href*="with="]');
    expect(addressesOf(visitor)).toEqual(['u1@all.example', 'u2@all.example', 'u3@all.example']);
  });

  it('shows each address with its state, reason, score, suggestion and attributes', async () => {
    const { person, visitor, id } = await owned();
    await show(person, id);
    expect(cellsOf(visitor, RESULTS)).toEqual([
      ['1', 'ada@x.example', 'deliverable', 'Accepted', '100', '', 'free, accept-all, 3× in the list'],
      ['2', 'bob@gmial.example', 'undeliverable', 'No such mailbox', '0', 'bob@gmail.example', ''],
      ['3', '<b>50%_@x.example', 'risky', 'Of little use', '40', '', 'disposable'],
    ]);
    expect(visitor.text).toContain('1 to 3 of 3 addresses.');
  });

  it('shows what a filter lets through, says what it is, and forgets it again', async () => {
    const { person, visitor, id } = await owned();
    await show(person, id, '?state=risky&state=deliverable&reason=low_quality&with=disposable&q=50%25_');
    expect(addressesOf(visitor)).toEqual(['<b>50%_@x.example']);
    expect(texts(visitor, '#found')[0]).toBe(
      '1 to 1 of 1 that match, of 3 addresses: state deliverable or risky, reason “Of little use”, disposable, address contains “50%_”. Clear all filters',
    );
    const form = visitor.document.querySelector('form.filter')!;
    expect(
      [...form.querySelectorAll('input[type=checkbox][checked]')].map((box) => box.getAttribute('value')),
    ).toEqual(['deliverable', 'risky']);
    expect(visitor.valueOf('Address contains')).toBe('50%_');
    expect(
      [...form.querySelectorAll('option[selected]')].map((option) => option.getAttribute('value')),
    ).toEqual(['low_quality', 'disposable', 'place']);
    await visitor.openLink('#found a');
    expect(addressesOf(visitor)).toHaveLength(3);
  });

  it('says that nothing matches, and offers no empty file', async () => {
    const { person, visitor, id } = await owned();
    await show(person, id, '?q=nobody&page=7');
    expect(texts(visitor, '#found')[0]).toContain('0 that match, of 3 addresses');
    expect(visitor.document.querySelector('.download button')!.hasAttribute('disabled')).toBe(true);
  });

  it('is sorted by a press on a title, and turned round by the next one', async () => {
    const { person, visitor, id } = await owned();
    const press = async (title: string) => {
      await visitor.openLink('th a', title);
      const sorted = visitor.document.querySelector('th[aria-sort]')!;
      return [sorted.textContent, sorted.getAttribute('aria-sort'), cellsOf(visitor, RESULTS)[0]![4]];
    };
    await show(person, id);
    expect(await press('Score')).toEqual(['Score', 'descending', '100']);
    expect(await press('Score')).toEqual(['Score', 'ascending', '0']);
    expect(await press('Address')).toEqual(['Address', 'ascending', '40']);
    expect(await press('No.')).toEqual(['No.', 'ascending', '100']);
  });

  it('has pages of 50 in every order, and ends with the last one', async () => {
    const { person, visitor } = await signInSomebody(db);
    const one = (_: unknown, place: number) => ({ email: `u${place}@x.example`, score: place % 100 });
    const many = Array.from({ length: 120 }, one);
    const { id } = await makeResults(db, many, { accountId: person.id });
    for (const query of ['?', '?sort=score&', '?q=x.example&']) {
      const seen = new Set<string | undefined>();
      await show(person, id, query);
      for (let page = 1; page < 3; page += 1) {
        for (const address of addressesOf(visitor)) seen.add(address);
        await visitor.openLink('a[rel=next]');
      }
      for (const address of addressesOf(visitor)) seen.add(address);
      expect(seen.size).toBe(120);
      expect(texts(visitor, 'nav.split')).toEqual(['Previous Page 3 of 3']);
      await show(person, id, `${query}page=99`);
      expect(texts(visitor, '#found')[0]).toMatch(/^101 to 120 of 120/);
    }
  });

  it('says how to download it: with the own columns, or with its fields', async () => {
    const { person, visitor, made: own } = await owned();
    await makeList(db, own, ['Email'], [{ cells: ['ada@x.example'], place: 0 }]);
    await show(person, own.id, '?state=risky');
    const said = 'The file is written like yours, with its columns in their order';
    expect(texts(visitor, '.download')[0]).toContain(said);
    expect(visitor.formOf('Download 1 address').sent).toEqual({ state: 'risky', ...ALL_COLUMNS });
    const fields = await makeResults(db, LIST, { accountId: person.id, responseFields: ['email'] });
    await show(person, fields.id);
    expect([visitor.has('Download all'), visitor.has('Columns')]).toEqual([true, false]);
  });

  it('is not searched here if it is too large, and can be downloaded by a filter', async () => {
    const { person, visitor, id } = await owned();
    await run`update batches set total = 200002, distinct_total = 200001 where id = ${id}`;
    await show(person, id, '?state=risky');
    const said = 'Batches of more than 200,000 addresses cannot be searched';
    expect(texts(visitor, '#found')[0]).toContain(said);
    expect(visitor.formOf('Download what matches').sent).toEqual({ state: 'risky', ...ALL_COLUMNS });
    await show(person, id);
    expect(addressesOf(visitor)).toHaveLength(3);
  });

  it('says since when its results are gone, and keeps the counts', async () => {
    const { person, visitor, id } = await owned();
    await expire(db, id);
    await show(person, id);
    expect(visitor.text).toContain('The addresses and their results were deleted at');
    expect([cellsOf(visitor, 'Results by reason').length, cellsOf(visitor, RESULTS)]).toEqual([3, []]);
    expect([texts(visitor, 'th a'), texts(visitor, 'form.filter')]).toEqual([[], []]);
  });
});

describe('what an owner reconciles', () => {
  const ROWS = [
    { cells: ['Ada@x.example'], place: 0 },
    { cells: ['not an address'], place: null },
    { cells: [' \t'], place: null },
    { cells: [''], place: null },
    { cells: ['bob@x.example'], place: 1 },
    { cells: ['ada@x.example'], place: 0 },
  ];
  const TWO: readonly MadeAddress[] = [{ email: 'Ada@x.example', duplicates: 1 }, { email: 'bob@x.example' }];

  it('says how the rows of a file become addresses, and what was left out', async () => {
    const { person, visitor, made } = await owned(TWO);
    await makeList(db, made, ['Email'], ROWS);
    await show(person, made.id);
    expect(texts(visitor, '#entries')).toEqual([
      'The list has 6 rows. 1 is a duplicate and cost nothing. 3 rows are not in the batch: 2 have no address, 1 was left out.',
    ]);
    expect(texts(visitor, '.download .note')[0]).toContain('rows that were left out say “not verified”');
  });

  it('counts the rows of a file once after an address was erased', async () => {
    const { person, visitor, made } = await owned(TWO);
    await makeList(db, made, ['Email'], ROWS);
    await eraseAddress(db, person.id, 'ada@x.example', { kind: 'owner', name: person.email });
    await show(person, made.id);
    expect(texts(visitor, '#entries')).toEqual([
      'The list has 6 rows. 1 is a duplicate and cost nothing. 3 rows are not in the batch: 2 have no address, 1 was left out. 2 rows were erased.',
    ]);
  });

  it('numbers the addresses by the rows of the file, or in the order sent', async () => {
    const { person, visitor, made } = await owned(TWO);
    await show(person, made.id);
    const said = 'Each distinct address once, numbered in the order sent';
    expect(texts(visitor, '#shown caption')).toContain(said);
    expect(cellsOf(visitor, RESULTS).map(([number]) => number)).toEqual(['1', '2']);
    await makeList(db, made, ['Email'], ROWS);
    await show(person, made.id);
    expect(cellsOf(visitor, RESULTS).map(([number]) => number)).toEqual(['1', '5']);
    expect(texts(visitor, 'th a')).toContain('Row');
  });

  it('says that addresses were erased, and counts those that are left', async () => {
    const { person, visitor, id } = await owned();
    await eraseAddress(db, person.id, 'ada@x.example', { kind: 'owner', name: person.email });
    await show(person, id);
    expect(texts(visitor, '#found')).toEqual(['1 to 2 of 2 addresses. 1 address was erased.']);
  });

  it('asks for accept-all servers only where some are known', async () => {
    const person = await signInSomebody(db);
    const attributes = () => texts(person.visitor, '#with option');
    await show(person, (await makeResults(db, LIST, { accountId: person.id })).id);
    expect(attributes()).toContain('Accept-all server');
    const { id } = await makeResults(db, TWO, { accountId: person.id });
    await show(person, id);
    expect(attributes()).not.toContain('Accept-all server');
    await show(person, id, '?with=accept_all');
    expect(attributes()).toContain('Accept-all server');
  });

  it('has the downloads that most people want, with one press', async () => {
    const { person, visitor, id } = await owned();
    const linesOf = async (text: string) => {
      await show(person, id);
      await visitor.openLink('a', text);
      return visitor.response.body.trimEnd().split('\r\n').length - 1;
    };
    expect(await linesOf('deliverable only')).toBe(1);
    expect(await linesOf('all but undeliverable')).toBe(2);
  });
});

describe('a page that is open when its batch ends', () => {
  /** The parts that are fetched again, and whether they are kept until the end. */
  const liveParts = ({ document }: Visitor) =>
    [...document.querySelectorAll('[data-live]')].map(
      (part) => `${part.id}${part.hasAttribute('data-live-kept') ? ' (kept)' : ''}`,
    );

  it('gets its first results, and later the whole table, the download and the callback', async () => {
    const { person, visitor } = await signInSomebody(db);
    const url = 'https://hooks.example/';
    const made = { accountId: person.id, mode: 'live', url } as const;
    await show(person, (await makeResults(db, LIST, { ...made, open: 3 })).id);
    expect(liveParts(visitor)).toEqual(['progress', 'results', 'callback', 'deletion']);
    await show(person, (await makeResults(db, LIST, { ...made, open: 1 })).id);
    expect(liveParts(visitor)).toEqual(['progress', 'reasons', 'shown (kept)', 'callback', 'deletion']);
    await show(person, (await makeResults(db, LIST, { ...made, url: undefined } as never)).id);
    expect(liveParts(visitor)).toEqual([]);
    for (const id of ['reasons', 'shown', 'deletion'])
      expect(visitor.document.getElementById(id), id).not.toBeNull();
  });
});

describe('an open batch', () => {
  const liveBatch = async (person: SignedIn, options = {}) =>
    makeResults(db, LIST, { accountId: person.id, mode: 'live', open: 1, ...options });

  it('says how far it is, and is read again', async () => {
    const { person, visitor } = await signInSomebody(db);
    const { id } = await liveBatch(person);
    await show(person, id);
    expect(texts(visitor, '#progress .meter p')).toEqual(['2 of 3 addresses verified']);
    expect(visitor.document.querySelector('#progress')!.getAttribute('data-live')).toBe('3');
    expect(visitor.document.querySelector('progress')!.getAttribute('value')).toBe('2');
    expect(texts(visitor, 'h2')).toEqual(['Verifying', 'Results']);
    expect(visitor.text).toContain('1 to 2 of 2 addresses with a result so far.');
    expect(visitor.has('Download all so far')).toBe(true);
  });

  it('has no results at first', async () => {
    const person = await signInSomebody(db);
    const { id } = await liveBatch(person, { open: 3 });
    await show(person, id);
    expect(person.visitor.text).toContain('There are no results yet.');
    expect(person.visitor.document.querySelector('#results a')!.getAttribute('href')).toContain(id);
    expect(texts(person.visitor, '.legend')).toEqual([]);
  });

  it('says how long it still takes, by its pace', async () => {
    const person = await signInSomebody(db);
    const { id } = await liveBatch(person, { open: 2 });
    await noteMarks(db);
    await run`update batch_marks set at = at - interval '2 minutes', processed = 2`;
    await run`update batches set created_at = created_at - interval '1 hour' where id = ${id}`;
    await show(person, id);
    expect(texts(person.visitor, '#progress .meter p')).toEqual([
      '1 of 3 addresses verified, about 4 minutes left',
    ]);
  });

  it('says less than a minute for what is tried again within it, and no time left beside it', async () => {
    const person = await signInSomebody(db);
    const { id } = await liveBatch(person, { open: 2 });
    const dueIn = (seconds: number, last: number) =>
      run`
        update batch_rows set due_at = clock_timestamp() +
          make_interval(secs => case when place = 2 then ${last}::integer else ${seconds}::integer end)
        where batch_id = ${id} and reason is null
      `;
    await dueIn(10, 40);
    await show(person, id);
    expect(texts(person.visitor, '.waits li')[0]).toBe(
      '2 addresses are tried again in less than a minute, because the mail servers of gmial.example and x.example gave a temporary answer, as greylisting does.',
    );
    await dueIn(10, 400);
    await show(person, id);
    expect(texts(person.visitor, '.waits li')[0]).toMatch(/^2 addresses are tried again between now and /);
  });

  it('says no time left while servers have asked to slow down, because the pace so far tells nothing', async () => {
    const person = await signInSomebody(db);
    const { id } = await liveBatch(person, { open: 2 });
    await noteMarks(db);
    await run`update batch_marks set at = at - interval '2 minutes', processed = 2`;
    await run`update batches set created_at = created_at - interval '1 hour' where id = ${id}`;
    await run`
      insert into paces (organisation, pauses, paused_until)
      values ('gmial.example', 1, clock_timestamp() + interval '30 seconds')
    `;
    await show(person, id);
    expect(texts(person.visitor, '#progress .meter p')).toEqual(['1 of 3 addresses verified']);
    const said = 'asked the service to slow down: less than a minute.';
    expect(texts(person.visitor, '.waits li')[0]).toContain(said);
    await db.deleteFrom('paces').execute();
  });

  it('says what it waits for', async () => {
    const person = await signInSomebody(db);
    await topUp(db, person.id, 6);
    const { id } = await createBatch(db, 6, {
      accountId: person.id,
      domain: (place) => (place < 3 ? 'outlook.com' : place < 4 ? 'gmail.com' : 'x.example'),
    });
    await run`
      insert into paces (organisation, pauses, paused_until) values
        ('microsoft', 1, clock_timestamp() + interval '11 minutes 59 seconds'),
        ('google', 1, clock_timestamp() + interval '59 seconds')
    `;
    await run`
      update batch_rows set process_id = gen_random_uuid() where batch_id = ${id} and place < 4
    `;
    await run`
      update batch_rows set due_at = '2100-01-01 14:20:00Z' where batch_id = ${id} and place > 4
    `;
    await show(person, id);
    expect(texts(person.visitor, '.waits li')).toEqual([
      'Microsoft asked the service to slow down: 12 minutes. 3 addresses wait for that.',
      'Google asked the service to slow down: less than a minute. 1 address waits for that.',
      '1 address is tried again at 1 Jan 2100, 14:20 UTC, because the mail server of x.example gave a temporary answer, as greylisting does.',
    ]);
    await run`
      update batch_rows set process_id = null, due_at = '2100-01-01 14:00:00Z' where batch_id = ${id} and place < 4
    `;
    await show(person, id);
    expect(texts(person.visitor, '.waits li')).toEqual([
      'The next addresses start within seconds.',
      '5 addresses are tried again from 1 Jan 2100, 14:00 UTC to 1 Jan 2100, 14:20 UTC, because the mail servers of outlook.com, gmail.com and x.example gave a temporary answer, as greylisting does.',
    ]);
    await db.deleteFrom('paces').execute();
  });

  it('says that it waits behind others, or for port 25', async () => {
    let isPortClosed = false;
    const person = await signInSomebody(db, { isPortClosed: () => isPortClosed });
    const { id } = await liveBatch(person);
    await liveBatch(person);
    await run`update batches set created_at = created_at - interval '1 hour' where id = ${id}`;
    await show(person, id);
    expect(texts(person.visitor, '.waits li')[0]).toContain('The batch waits for other batches.');
    isPortClosed = true;
    await show(person, id);
    expect(texts(person.visitor, '.waits li')[0]).toContain('because port 25 is closed');
  });

  it('says since when it is paused, and not how long it takes', async () => {
    const person = await signInSomebody(db);
    const { id } = await liveBatch(person);
    await pauseBatch(db, { id });
    await show(person, id);
    expect(texts(person.visitor, '.waits li')[0]).toMatch(
      /^The batch was paused at .* when you resume it\. If it is still paused at .*, the service stops it, and gives back the credits of the addresses without a result\.$/,
    );
    expect(person.visitor.document.querySelector('#progress')!.getAttribute('data-live')).toBe('15');
    expect(person.visitor.has('Resume')).toBe(true);
  });
});
