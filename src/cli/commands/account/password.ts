/** The password of an account: read from a file, or generated. */
import { randomInt } from 'node:crypto';
import { UsageError } from '../../../service/core/usage-error.ts';
import type { Db } from '../../../service/database/schema.ts';
import { type NamedPerson, namesOfPerson } from '../../../service/people/passwords/names-of-person.ts';
import {
  findPasswordFault,
  PASSWORD_FAULTS,
  PASSWORD_LENGTH,
} from '../../../service/people/passwords/password-rules.ts';
import { secretFile } from '../../secret-file.ts';

export const PASSWORD_FILE = secretFile(
  PASSWORD_LENGTH,
  'A file with the password in one line. Without it, the command makes a password and prints it once.',
);

/** Letters and digits that look different from each other: no 0, 1, i, l or o. */
const READABLE = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 5;

/** Makes a password of four groups, such as `k7mwq-…`, with 99 bits of randomness. */
export function makePassword(): string {
  const group = () =>
    Array.from({ length: GROUP_LENGTH }, () => READABLE[randomInt(READABLE.length)]).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

/**
 * Refuses a password that a person could not choose on the page of security either.
 *
 * @param serviceUrl the URL of the service, whose names are too easy
 */
export async function refuseUnfit(
  db: Db,
  password: string,
  person: NamedPerson,
  serviceUrl: string,
): Promise<void> {
  const fault = await findPasswordFault(password, await namesOfPerson(db, person, serviceUrl));
  if (fault === undefined) return;
  throw new UsageError(
    `Expected a password that others do not guess in the file of --password-file. ${PASSWORD_FAULTS[fault]} Without the flag, the command makes one.`,
  );
}
