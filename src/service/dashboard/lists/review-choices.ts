/** The choices in the form of the review page. */
import { Failure } from '../../core/failures.ts';
import { cleanName } from '../../lists/list-name.ts';
import type { List } from '../../lists/list-store.ts';
import type { Layout } from './look-through.ts';

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
  column: list.address_column,
  hasHeader: list.header !== null,
  leaveOut: true,
  name: list.name,
  mode: takesLive ? 'live' : 'test',
  retries: true,
  acceptAll,
  url: '',
});

/** @throws {Failure} for values that the form cannot send */
export function readChoices(list: List, fields: ReadonlyMap<string, string>): Choices {
  const column = Number(fields.get('column') ?? list.address_column);
  if (!Number.isInteger(column) || column < 0 || column >= list.columns)
    throw new Failure('badRequest', 'Expected the column to be one of the list.');
  const mode = fields.get('mode');
  if (mode !== 'test' && mode !== 'live')
    throw new Failure('badRequest', 'Expected the mode to be test or live.');
  const isFirstRowOnly = list.header === null && list.row_count === 1;
  return {
    column,
    mode,
    // A list must keep at least one row.
    hasHeader: fields.has('header') && !isFirstRowOnly,
    leaveOut: fields.has('leave_out'),
    name: cleanName(fields.get('name') ?? '', list.name),
    retries: fields.has('retries'),
    acceptAll: fields.has('accept_all'),
    url: (fields.get('url') ?? '').trim(),
  };
}
