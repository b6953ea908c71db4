/** The flag that names a person, and the error for an address that no person has. */
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import type { Db } from '../../../service/database/schema.ts';
import { findPersonByEmail, type Person } from '../../../service/people/persons/person-store.ts';
import { address, required } from '../../flags.ts';

export const PERSON_EMAIL = required(
  address('The address that the person signs in with, in upper or lower case.'),
);

/** @param flag the name of the flag that has the address @throws {UsageError} for an address that no person has */
export async function personOf(db: Db, email: string, flag = '--email'): Promise<Person> {
  const person = await findPersonByEmail(db, email);
  if (person) return person;
  throw new UsageError(
    `Expected ${flag} to be the address of a person, got ${quote(email)}. Run person list to see all.`,
  );
}
