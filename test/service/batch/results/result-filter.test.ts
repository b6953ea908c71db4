import { expect, it } from 'vitest';
import {
  isEmpty,
  readFilter,
  readSort,
  reasonsOf,
  sayFilter,
  toQuery,
} from '../../../../src/service/batch/results/result-filter.ts';
import { REASON_TITLES } from '../../../../src/service/dashboard/batches/batch-words.ts';

const valuesOf = (query: string) => (name: string) => new URLSearchParams(query).getAll(name);
const read = (query: string) => readFilter(valuesOf(query));

it('reads again what it has written', () => {
  const query = 'state=deliverable&state=risky&reason=low_quality&with=free&q=100%25_';
  const filter = read(query);
  expect(filter).toEqual({
    ...{ states: ['deliverable', 'risky'], reason: 'low_quality', attribute: 'free', search: '100%_' },
  });
  expect(new URLSearchParams(toQuery(filter)).toString()).toBe(query);
  expect(sayFilter(filter, REASON_TITLES)).toEqual([
    'state deliverable or risky',
    'reason “Of little use”',
    'free provider',
    'address contains “100%_”',
  ]);
});

it('narrows nothing by what nobody could have chosen', () => {
  const filter = read('state=good&state=&reason=toString&with=constructor&q=%20%20');
  expect([toQuery(filter), sayFilter(filter, REASON_TITLES), reasonsOf(filter)]).toEqual([[], [], undefined]);
  expect([isEmpty(filter), isEmpty(read('q=a'))]).toEqual([true, false]);
});

it('looks for no more text than an address has', () => {
  expect(read(`q=${'x'.repeat(5_000)}`).search).toHaveLength(320);
});

it('finds the reasons that fit both the states and the reason', () => {
  expect(reasonsOf(read('state=deliverable'))).toEqual(['accepted_email']);
  expect(reasonsOf(read('reason=timeout'))).toEqual(['timeout']);
  expect(reasonsOf(read('state=risky&reason=timeout'))).toEqual([]);
});

it('keeps the order of the list unless another one is named', () => {
  const sort = (query: string) => readSort(valuesOf(query));
  expect([sort(''), sort('sort=-score'), sort('sort=__proto__')]).toEqual(['place', '-score', 'place']);
});
