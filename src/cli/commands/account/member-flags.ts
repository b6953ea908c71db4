/** The flags of the commands about members, and their errors. */
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import type { Db } from '../../../service/database/schema.ts';
import { roleOf } from '../../../service/people/members/member-store.ts';
import { ROLES } from '../../../service/people/members/roles.ts';
import type { Person } from '../../../service/people/persons/person-store.ts';
import { address, oneOf, required } from '../../flags.ts';
import { accountOf } from '../owner-flag.ts';
import { personOf } from '../person/person-flag.ts';

export const MEMBER = required(address('The address that the person signs in with.'));
export const ROLE = required(oneOf(ROLES, 'What the person may do in the account.'));

/** @throws {UsageError} if there is no such account, person or member */
export async function memberOf(db: Db, email: string, person: string) {
  const account = await accountOf(db, email);
  const member = await personOf(db, person, '--person');
  if ((await roleOf(db, account.id, member.id)) === undefined) throw noSuchMember(person);
  return { account, member };
}

export const noSuchMember = (person: string): UsageError =>
  new UsageError(
    `Expected --person to be a member of the account, got ${quote(person)}. Run account members list to see all.`,
  );

export const lastOwner = ({ email }: Pick<Person, 'email'>): UsageError =>
  new UsageError(
    `Expected --person to leave an owner to the account, got ${quote(email)}, who is the only one. Make another member an owner first.`,
  );
