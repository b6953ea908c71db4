/** The columns of a file with results: the list's own in their order, then the result's. */
import { columnLetters } from '../../lists/column-letters.ts';
import { type BatchResult, RESULT_FIELDS } from '../result-fields.ts';
import type { OwnList } from './export-store.ts';

type Field = keyof BatchResult;

/** The most useful fields come first. */
const FIRST: readonly Field[] = ['state', 'reason', 'score', 'did_you_mean'];

/** How many of the result's fields a file has. */
export const COLUMN_CHOICES = { all: 'All fields', short: 'State, reason, score and suggestion' } as const;
export type ColumnChoice = keyof typeof COLUMN_CHOICES;

const DUPLICATE = 'duplicate';
const PREFIX = 'result_';

/** The fields of the result after the columns of a list. */
export const listFields = (choice: ColumnChoice): readonly Field[] => fieldsFrom(FIRST, choice);

/** The fields of a file without its own columns: those that the batch was created with. */
export function resultFields(
  choice: ColumnChoice,
  responseFields: readonly string[] | null,
): readonly Field[] {
  return (responseFields as readonly Field[] | null) ?? fieldsFrom(['email', ...FIRST], choice);
}

const fieldsFrom = (first: readonly Field[], choice: ColumnChoice): readonly Field[] =>
  choice === 'short' ? first : [...first, ...RESULT_FIELDS.filter((field) => !first.includes(field))];

/**
 * The header line of a list's file. Columns of the service get a prefix if the list has a column of the same name,
 * regardless of case, because people and programs find columns by their titles. If the list has several columns of
 * addresses, the results of each have its title before their names. Of two with one title, both also have their letters,
 * as on the page on which the list was reviewed.
 */
export function listTitles(
  { header, columns, address_columns }: Pick<OwnList, 'header' | 'columns' | 'address_columns'>,
  fields: readonly Field[],
): string[] {
  const own = Array.from({ length: columns }, (_, index) => header?.[index] ?? `Column ${index + 1}`);
  const taken = new Set(own.map(nameOf));
  const ofColumns = address_columns ?? [];
  const names = ofColumns.map((column) => own[column]!.trim() || `Column ${column + 1}`);
  const isTwice = (name: string) => names.filter((other) => nameOf(other) === nameOf(name)).length > 1;
  const before =
    ofColumns.length > 1
      ? names.map((name, index) =>
          isTwice(name) ? `${name} (column ${columnLetters(ofColumns[index]!)}) ` : `${name} `,
        )
      : [''];
  const added = before.flatMap((start) =>
    [...fields, DUPLICATE].map((field) => {
      let title = `${start}${field}`;
      while (taken.has(nameOf(title))) title = `${PREFIX}${title}`;
      taken.add(nameOf(title));
      return title;
    }),
  );
  return [...own, ...added];
}

const nameOf = (title: string) => title.trim().toLowerCase();
