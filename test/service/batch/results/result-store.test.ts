import { describe, expect, it } from 'vitest';
import type { ResultFilter, Sort } from '../../../../src/service/batch/results/result-filter.ts';
import { readSlice, searchResults } from '../../../../src/service/batch/results/result-store.ts';
import { testDatabase } from '../../support/database.ts';
import { type MadeAddress, makeResults } from './results.ts';

const { db } = await testDatabase();

const LIST: readonly MadeAddress[] = [
  { email: 'Zoe@b.example', score: 7, reason: 'low_quality', disposable: true },
  { email: 'ada@c.example', score: 100, free: true, accept_all: true },
  { email: 'bob@a.example', score: 0, reason: 'rejected_email', role: true, duplicates: 2 },
  { email: '100%_of@d.example', score: 50, reason: 'timeout', did_you_mean: 'x@d.example' },
  { email: '100xyof@e.example', score: 95, no_reply: true, mailbox_full: true },
];
const { id } = await makeResults(db, LIST);
const ALL = { offset: 0, limit: 50 };
const places = async (filter: Partial<ResultFilter>, sort: Sort = 'place', slice = ALL) => {
  const { rows, count } = await searchResults(db, id, { states: [], ...filter }, sort, slice);
  return { places: rows.map(({ place }) => place), count };
};
const matching = async (filter: Partial<ResultFilter>) => (await places(filter)).places;

describe('a filter', () => {
  it('lets through the states and the reason that it names', async () => {
    expect(await matching({ states: ['deliverable'] })).toEqual([1, 4]);
    expect(await matching({ states: ['risky', 'unknown'] })).toEqual([0, 3]);
    expect(await matching({ reason: 'timeout' })).toEqual([3]);
    expect(await matching({ states: ['risky'], reason: 'timeout' })).toEqual([]);
  });

  it.each([
    ['disposable', [0]],
    ['free', [1]],
    ['accept_all', [1]],
    ['role', [2]],
    ['duplicate', [2]],
    ['did_you_mean', [3]],
    ['no_reply', [4]],
    ['mailbox_full', [4]],
  ] as const)('lets through what is %s', async (attribute, expected) => {
    expect(await matching({ attribute })).toEqual(expected);
  });

  it('takes a text as it is, in upper or lower case, also the signs of patterns', async () => {
    expect(await matching({ search: 'ZOE@' })).toEqual([0]);
    expect(await matching({ search: '100%_' })).toEqual([3]);
    expect(await matching({ search: '%' })).toEqual([3]);
    expect(await matching({ search: '"' })).toEqual([]);
  });

  it('counts what matches on a page that has none of it', async () => {
    const page = await places({ states: ['deliverable'] }, 'place', { offset: 2, limit: 2 });
    expect(page).toEqual({ places: [], count: 2 });
  });
});

describe('the order', () => {
  it.each([
    ['address', [3, 4, 1, 2, 0]],
    ['domain', [2, 0, 1, 3, 4]],
    ['state', [1, 4, 0, 2, 3]],
    ['score', [2, 0, 3, 4, 1]],
    ['-score', [1, 4, 3, 0, 2]],
  ] as const)('can be by %s', async (sort, expected) => {
    expect(await places({}, sort)).toEqual({ places: expected, count: 5 });
    const page = await places({}, sort, { offset: 2, limit: 2 });
    expect(page).toEqual({ places: expected.slice(2, 4), count: 5 });
  });
});

it('finds nothing in the parts of a result that an address imitates', async () => {
  const forged = await makeResults(db, [{ email: '","free":true,"score":1,"x":"@a.example', score: 88 }]);
  const slice = { offset: 0, limit: 9 };
  const free = await searchResults(db, forged.id, { states: [], attribute: 'free' }, 'score', slice);
  expect(free).toEqual({ count: 0, rows: [] });
  const quoted = await searchResults(db, forged.id, { states: [], search: '","FREE":true' }, '-score', slice);
  expect(quoted.rows.map(({ result }) => result.score)).toEqual([88]);
});

it('finds addresses with signs that a text of PostgreSQL cannot hold', async () => {
  const strange = ['a\u0000b@nul.example', 'a\ud800b@half.example', 'back\\slash@x.example'];
  const addresses = strange.map((email) => ({ email }));
  const made = await makeResults(db, addresses);
  const find = async (search: string, sort: Sort) => {
    const found = await searchResults(db, made.id, { states: [], search }, sort, { offset: 0, limit: 9 });
    return found.rows.map(({ result }) => result.email);
  };
  expect(await find('\u0000b@', 'domain')).toEqual([strange[0]]);
  expect(await find('half', '-score')).toEqual([strange[1]]);
  expect(await find('K\\S', 'address')).toEqual([strange[2]]);
});

it('leaves out addresses without a result, and other batches', async () => {
  const made = await makeResults(db, LIST, { open: 3 });
  const { count } = await searchResults(db, made.id, { states: [] }, 'address', { offset: 0, limit: 9 });
  const slice = await readSlice(db, made.id, { offset: 1, limit: 9 });
  expect([count, slice.map(({ place, duplicates }) => [place, duplicates])]).toEqual([2, [[1, 0]]]);
});
