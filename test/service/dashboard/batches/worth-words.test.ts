/** What a list is worth, and what one does next with it. */
import { describe, expect, it } from 'vitest';
import type { Reason } from '../../../../src/protocol/result.ts';
import { readAudit } from '../../../../src/service/audit/audit-store.ts';
import { makeList, makeResults } from '../../batch/results/results.ts';
import { testDatabase } from '../../support/database.ts';
import { type SignedIn, signInSomebody, texts } from './person.ts';

const { db } = await testDatabase();

const addressesWith = (reason: Reason, count: number) =>
  Array.from({ length: count }, (_, place) => ({ email: `${reason}${place}@x.example`, reason }));

const MIXED = [
  ...addressesWith('accepted_email', 6),
  ...addressesWith('rejected_email', 2),
  ...addressesWith('timeout', 1),
  ...addressesWith('low_quality', 1),
];

async function look(list: readonly { email: string; reason: Reason }[], open = 0) {
  const person = await signInSomebody(db);
  const made = await makeResults(db, list, { accountId: person.id, open });
  await person.visitor.open(`/dashboard/batches/${made.id}`);
  return { person, made, worth: texts(person.visitor, '#worth')[0], next: texts(person.visitor, '#next li') };
}

describe('the page of a batch says in one sentence what the list is worth', () => {
  it.each<[string, readonly { email: string; reason: Reason }[], string]>([
    [
      'of all kinds',
      MIXED,
      'You can send to 6 of 10 addresses. Look at 2 by hand, and leave out 2. If you sent to all 10, 2 to 4 messages would bounce.',
    ],
    ['of good addresses only', addressesWith('accepted_email', 3), 'You can send to all 3 addresses.'],
    ['of one good address', addressesWith('accepted_email', 1), 'You can send to this address.'],
    [
      'of bad addresses only',
      addressesWith('rejected_email', 2),
      'You can send to none of 2 addresses. Leave out 2. If you sent to all 2, 2 messages would bounce.',
    ],
    [
      'of addresses that nobody can know',
      addressesWith('timeout', 1),
      'You can send to none of 1 address. Look at 1 by hand. If you sent to all 1, at most 1 message would bounce.',
    ],
  ])('%s', async (_what, list, expected) => {
    expect((await look(list)).worth).toBe(expected);
  });

  it('only when it has ended', async () => {
    expect((await look(MIXED, 2)).worth).toBeUndefined();
  });
});

describe('downloads are what one does next', () => {
  const ROWS = [
    { cells: ['good@x.example', '1'], place: 0 },
    { cells: ['', '2'], place: null },
    { cells: ['GOOD@x.example', '3'], place: 0 },
    { cells: ['bad@x.example', '4'], place: 1 },
    { cells: ['who@x.example', '5'], place: 2 },
    { cells: ['n/a', '6'], place: null },
    { cells: ['bad@x.example', '7'], place: 1 },
  ];

  async function withList(open = 0): Promise<{ person: SignedIn; id: string }> {
    const person = await signInSomebody(db);
    const made = await makeResults(
      db,
      [
        { email: 'good@x.example', duplicates: 1 },
        { email: 'bad@x.example', reason: 'rejected_email', duplicates: 1 },
        { email: 'who@x.example', reason: 'timeout' },
      ],
      { accountId: person.id, name: 'News.csv', open },
    );
    await makeList(db, made, ['Mail', 'No.'], ROWS);
    await person.visitor.open(`/dashboard/batches/${made.id}`);
    return { person, id: made.id };
  }

  async function rowsOf({ visitor }: SignedIn, path: string): Promise<string[]> {
    await visitor.open(path);
    const [, ...lines] = visitor.response.body.trimEnd().split('\r\n');
    return lines.map((line) => line.split(',').slice(1, 3).join(' '));
  }

  it('each with its count, and a duplicate in none of the first three', async () => {
    const { person } = await withList();
    const said = 'Import Send to these into your newsletter tool: this service sends no messages.';
    expect(person.visitor.text).toContain(said);
    expect(texts(person.visitor, '#next li')).toEqual([
      'Send to these: 1',
      'Look at these by hand: 1',
      'Leave these out: 1',
      'Duplicates: 2',
      'Rows not in the batch: 2',
    ]);
    const found = [];
    for (const link of person.visitor.links('#next a')) found.push(await rowsOf(person, link!));
    expect(found).toEqual([
      ['1 deliverable'],
      ['5 unknown'],
      ['4 undeliverable'],
      ['3 deliverable', '7 undeliverable'],
      ['2 not verified', '6 not verified'],
    ]);
    expect(person.visitor.response.headers['content-disposition']).toContain('News-no-address.csv');
    const [latest] = await readAudit(db, person.id, { limit: 1 });
    expect(latest!.details).toEqual({ filtered: true });
  });

  it('of a batch without a list, which has each address once, only the first three', async () => {
    expect((await look(MIXED)).next).toEqual([
      'Send to these: 6',
      'Look at these by hand: 2',
      'Leave these out: 2',
    ]);
  });

  it('while a batch runs: what is there, and all rows with a mark for the rest', async () => {
    const { person, id } = await withList(2);
    expect(texts(person.visitor, '#next li')[0]).toBe('Send to these: 1');
    expect(person.visitor.text).toContain('the others say “not yet verified”');
    expect(person.visitor.has('Download all so far')).toBe(true);
    expect(await rowsOf(person, `/dashboard/batches/${id}/download?for=send`)).toEqual(['1 deliverable']);
    expect(await rowsOf(person, `/dashboard/batches/${id}/download`)).toEqual([
      '1 deliverable',
      '2 not verified',
      '3 deliverable',
      '4 not yet verified',
      '5 not yet verified',
      '6 not verified',
      '7 not yet verified',
    ]);
  });

  it('while a batch without a list runs: each address, with a mark for the rest', async () => {
    const { person, made } = await look(MIXED, 4);
    await person.visitor.open(`/dashboard/batches/${made.id}/download?columns=short`);
    const lines = person.visitor.response.body.trimEnd().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',').slice(0, 2).join(' ')).slice(5)).toEqual([
      'accepted_email5@x.example deliverable',
      'rejected_email0@x.example not yet verified',
      'rejected_email1@x.example not yet verified',
      'timeout0@x.example not yet verified',
      'low_quality0@x.example not yet verified',
    ]);
    await person.visitor.open(`/dashboard/batches/${made.id}/download?state=deliverable`);
    expect(person.visitor.response.body.trimEnd().split('\r\n')).toHaveLength(1 + 6);
  });
});
