import { expect, it } from 'vitest';
import { listFields, listTitles, resultFields } from '../../../../src/service/batch/export/export-columns.ts';
import { RESULT_FIELDS } from '../../../../src/service/batch/result-fields.ts';

const list = (header: readonly string[] | null, columns = header?.length ?? 0) => ({
  ...{ header, columns, address_columns: null },
});

it('puts the fields of the result after the own columns, those first that most people look for', () => {
  const titles = listTitles(list(['Mail', 'Name']), listFields('all'));
  expect(titles.slice(0, 7)).toEqual([
    ...['Mail', 'Name', 'state', 'reason', 'score', 'did_you_mean', 'accept_all'],
  ]);
  expect(titles.at(-1)).toBe('duplicate');
  expect(new Set(titles).size).toBe(2 + RESULT_FIELDS.length + 1);
});

it('gives a field a prefix if the list has such a column, in any case', () => {
  const titles = listTitles(list(['STATE', 'score ', 'result_score', 'Duplicate']), listFields('short'));
  expect(titles.slice(4)).toEqual([
    ...['result_state', 'reason', 'result_result_score', 'did_you_mean', 'result_duplicate'],
  ]);
});

it('names the results of several columns after these', () => {
  const several = { ...list(['Mail', ' Work ', '']), address_columns: [0, 1, 2] };
  expect(listTitles(several, ['state']).slice(3)).toEqual(
    ['Mail', 'Work', 'Column 3'].flatMap((name) => [`${name} state`, `${name} duplicate`]),
  );
  const same = { ...list(['Email', 'Email']), address_columns: [0, 1] };
  expect(listTitles(same, []).slice(2)).toEqual(['Email (column A) duplicate', 'Email (column B) duplicate']);
  const some = { ...list(['Mail', 'Name', 'mail ', 'Work']), address_columns: [0, 2, 3] };
  expect(listTitles(some, []).slice(4)).toEqual([
    ...['Mail (column A) duplicate', 'mail (column C) duplicate', 'Work duplicate'],
  ]);
});

it('numbers the columns of a list without titles, and those beyond the titles', () => {
  expect(listTitles(list(null, 2), []).slice(0, 2)).toEqual(['Column 1', 'Column 2']);
  expect(listTitles(list(['a'], 2), []).slice(0, 2)).toEqual(['a', 'Column 2']);
});

it('has the fields that the batch was created with, if there is no list', () => {
  expect(resultFields('all', null)).toHaveLength(RESULT_FIELDS.length);
  expect(resultFields('all', null).slice(0, 2)).toEqual(['email', 'state']);
  expect(resultFields('short', null)).toEqual(['email', 'state', 'reason', 'score', 'did_you_mean']);
  expect(resultFields('short', ['user', 'domain'])).toEqual(['user', 'domain']);
});
