/** The choices in the form of the review page. */
import { Failure } from '../../core/failures.ts';
import { cleanName } from '../../lists/list-name.ts';
import type { List } from '../../lists/list-store.ts';
import { NUMBERED_ROWS } from '../../lists/reading/list-table.ts';
import type { Fields } from '../form-fields.ts';
import { allRows, guessedTitles, type Layout } from './look-through.ts';

export interface Choices extends Layout {
  /** The name of the batch. */
  readonly name: string;
  readonly mode: 'test' | 'live';
  readonly retries: boolean;
  /** Whether to find out which domains accept every address. */
  readonly acceptAll: boolean;
  /** The callback URL as typed. Empty without a callback. */
  readonly url: string;
}

/** The choices when the page opens. */
export const firstChoices = (list: List, takesLive: boolean, acceptAll: boolean): Choices => ({
  ...{ columns: [list.address_column], splits: false },
  titles: guessedTitles(list),
  ...{ leaveOut: true, leaveOutHidden: false },
  mode: takesLive ? 'live' : 'test',
  ...{ name: list.name, retries: true, acceptAll, url: '' },
});

/** @throws {Failure} for values that the form cannot send */
export function readChoices(list: List, fields: Fields): Choices {
  const mode = fields.get('mode');
  if (mode !== 'test' && mode !== 'live')
    throw new Failure('badRequest', 'Expected the mode to be test or live.');
  return {
    columns: readColumns(list, fields),
    splits: fields.has('split'),
    mode,
    titles: readTitles(list, fields.get('titles') ?? ''),
    leaveOut: fields.has('leave_out'),
    leaveOutHidden: fields.has('leave_out_hidden'),
    name: cleanName(fields.get('name') ?? '', list.name),
    retries: fields.has('retries'),
    acceptAll: fields.has('accept_all'),
    url: (fields.get('url') ?? '').trim(),
  };
}

/** A list must keep at least one row. */
function readTitles(list: List, field: string): number | null {
  if (field === '') return null;
  const titles = Number(field);
  if (!Number.isInteger(titles) || titles < 0 || titles >= NUMBERED_ROWS)
    throw new Failure('badRequest', 'Expected the titles to be one of the first rows.');
  return titles < allRows(list) - 1 ? titles : null;
}

/** How many columns of one list can have addresses. */
export const MOST_COLUMNS = 10;

/** Why a list cannot have so many columns of addresses. */
export const sayTooManyColumns = (columns: number): string | undefined =>
  columns > MOST_COLUMNS
    ? `Expected at most ${MOST_COLUMNS} columns with addresses, got ${columns}. Untick ${columns - MOST_COLUMNS} of them. The figures are those of the first ${MOST_COLUMNS}.`
    : undefined;

/** A list must have a column of addresses. Without any, the reader's guess counts. */
function readColumns(list: List, fields: Fields): readonly number[] {
  const columns = Array.from({ length: list.columns }, (_, column) => column).filter((column) =>
    fields.has(`column-${column}`),
  );
  return columns.length === 0 ? [list.address_column] : columns;
}
