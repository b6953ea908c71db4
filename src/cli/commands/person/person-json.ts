/** The parts of a person that the commands print: never the hash of the password. */
import type { Person } from '../../../service/people/persons/person-store.ts';

export const personJson = ({ id, email, password_hash, created_at }: Person) => ({
  ...{ id, email, has_password: password_hash !== null },
  created_at: created_at.toISOString(),
});
