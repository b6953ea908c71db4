/** The password of a person: read from a file, or generated. */
import { randomInt } from 'node:crypto';
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import type { Db } from '../../../service/database/schema.ts';
import { inTransaction } from '../../../service/database/transaction.ts';
import { hashPassword } from '../../../service/people/accounts/password-hash.ts';
import { type NamedPerson, namesOfPerson } from '../../../service/people/passwords/names-of-person.ts';
import {
  findPasswordFault,
  PASSWORD_FAULTS,
  PASSWORD_LENGTH,
} from '../../../service/people/passwords/password-rules.ts';
import { recordPersonEvent } from '../../../service/people/persons/person-events.ts';
import { type Person, setPersonPassword } from '../../../service/people/persons/person-store.ts';
import type { CommandContext } from '../../context.ts';
import { secretFile } from '../../secret-file.ts';
import { OPERATOR } from '../operator.ts';

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

/**
 * Gives a person another password, ends all sessions of the person, and tells it at the next sign-in.
 *
 * @param given the password of a file @default a password that is made
 * @param record writes the audit log, in the same transaction
 * @returns the password that was made
 */
export async function givePassword(
  { db, serviceUrl, passwordCost }: Pick<CommandContext, 'db' | 'serviceUrl' | 'passwordCost'>,
  person: Person,
  given: string | undefined,
  record: (db: Db) => Promise<void>,
): Promise<{ password?: string }> {
  if (given !== undefined) await refuseUnfit(db, given, person, serviceUrl);
  const password = given ?? makePassword();
  const hash = await hashPassword(password, passwordCost);
  await inTransaction(db, async (transaction) => {
    // Accounts are locked before persons.
    await record(transaction);
    if (!(await setPersonPassword(transaction, person.id, hash)))
      throw new UsageError(`Expected a person, got ${quote(person.email)}, who was deleted meanwhile.`);
    await recordPersonEvent(transaction, { personId: person.id, event: 'password.changed', by: OPERATOR });
  });
  return given === undefined ? { password } : {};
}
