/** A person in the dashboard, with what tests look for on its pages. */
import type { Db } from '../../../../src/service/database/schema.ts';
import {
  type StoredService,
  type StoredServiceOptions,
  startStoredService,
} from '../../support/stored-service.ts';
import { arrive, type Person, type Visitor } from '../../support/visitor.ts';

export interface SignedIn extends Person {
  readonly visitor: Visitor;
  readonly service: StoredService;
}

/** A new account whose owner has signed in. */
export async function signInSomebody(db: Db, options: StoredServiceOptions = {}) {
  const service = await startStoredService(db, options);
  const { person, visitor } = await arrive(service, db);
  const signedIn: SignedIn = { ...person, visitor, service };
  return { ...signedIn, person: signedIn };
}

/** The texts of the elements, with single spaces. */
export const texts = ({ document }: Visitor, selector: string) =>
  textsOf(document.querySelectorAll(selector));

const textsOf = (elements: Iterable<{ readonly textContent: string | null }>): string[] =>
  Array.from(elements, ({ textContent }) => (textContent ?? '').replace(/\s+/g, ' ').trim());

/** The cells of a table with this caption, row by row. */
export function cellsOf({ document }: Visitor, caption: string): string[][] {
  const table = [...document.querySelectorAll('table')].find((one) =>
    one.querySelector('caption')?.textContent?.includes(caption),
  );
  return [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) =>
    textsOf(row.querySelectorAll('th, td')),
  );
}
