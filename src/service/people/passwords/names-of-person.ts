/** The names of a person that a password must not consist of, with those of the person's accounts. */
import type { Db } from '../../database/schema.ts';
import { membershipsOf } from '../members/member-store.ts';
import { ownNames } from './own-names.ts';

export interface NamedPerson {
  /** Undefined for a person who is made with the password. */
  readonly id: string | undefined;
  readonly email: string;
}

/** @param publicUrl of the config */
export async function namesOfPerson(
  db: Db,
  { id, email }: NamedPerson,
  publicUrl: string | undefined,
): Promise<string[]> {
  const accounts = id === undefined ? [] : await membershipsOf(db, id);
  return ownNames({ emails: [email, ...accounts.map(({ ownerEmail }) => ownerEmail)], publicUrl });
}
