/** `account members …`: who belongs to an account. */
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import type { Db } from '../../../service/database/schema.ts';
import { hashPassword } from '../../../service/people/accounts/password-hash.ts';
import { addMember } from '../../../service/people/members/add-member.ts';
import { changeRole } from '../../../service/people/members/change-role.ts';
import { endMembership } from '../../../service/people/members/end-membership.ts';
import { listMembers, roleOf } from '../../../service/people/members/member-store.ts';
import { ROLES } from '../../../service/people/members/roles.ts';
import { findPersonByEmail, type Person } from '../../../service/people/persons/person-store.ts';
import { type Command, defineCommand } from '../../command.ts';
import { address, oneOf, required } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, noSuchAccount, OWNER } from '../owner-flag.ts';
import { personOf } from '../person.ts';
import { makePassword } from './password.ts';

const MEMBER = required(address('The address that the person signs in with.'));
const ROLE = required(oneOf(ROLES, 'What the person may do in the account.'));

/** @throws {UsageError} if there is no such account, person or member */
async function memberOf(db: Db, email: string, person: string) {
  const account = await accountOf(db, email);
  const member = await personOf(db, person, '--person');
  if ((await roleOf(db, account.id, member.id)) === undefined) throw noSuchMember(person);
  return { account, member };
}

const noSuchMember = (person: string): UsageError =>
  new UsageError(
    `Expected --person to be a member of the account, got ${quote(person)}. Run account members list to see all.`,
  );

const lastOwner = ({ email }: Pick<Person, 'email'>): UsageError =>
  new UsageError(
    `Expected --person to leave an owner to the account, got ${quote(email)}, who is the only one. Make another member an owner first.`,
  );

export const ACCOUNT_MEMBERS: readonly Command[] = [
  defineCommand({
    words: ['account', 'members', 'list'],
    description: 'Lists the members of an account with their roles, owners first.',
    flags: { email: OWNER },
    example: 'account members list --email ada@example.com',
    async run({ db }, { email }) {
      const { id } = await accountOf(db, email);
      return (await listMembers(db, id)).map(({ personId, email: person, role, since }) => ({
        ...{ person, person_id: personId, role, since: since.toISOString() },
      }));
    },
  }),
  defineCommand({
    words: ['account', 'members', 'add'],
    description:
      'Makes a person a member of an account. If nobody has the address, it makes the person, and prints a password once. Owners and admins can also invite people in the dashboard.',
    flags: { email: OWNER, person: MEMBER, role: ROLE },
    example: 'account members add --email ada@example.com --person grace@example.com --role admin',
    async run({ db, passwordCost }, { email, person, role }) {
      const { id: accountId, owner_email } = await accountOf(db, email);
      const isThere = (await findPersonByEmail(db, person)) !== undefined;
      const password = makePassword();
      const passwordHash = isThere ? undefined : await hashPassword(password, passwordCost);
      const added = await addMember(db, { accountId, email: person, role, passwordHash, actor: OPERATOR });
      if (added.kind === 'no account') throw noSuchAccount(email);
      if (added.kind === 'member') {
        throw new UsageError(
          `Expected --person to be somebody who is not a member, got ${quote(person)}. Run account members set-role to change the role.`,
        );
      }
      if (added.kind === 'no person') {
        throw new UsageError(
          `Expected --person to stay, got ${quote(person)}, who was deleted. Run it again.`,
        );
      }
      return {
        ...{ owner_email, person: added.email, person_id: added.personId, role },
        ...(added.isNew ? { password } : {}),
      };
    },
  }),
  defineCommand({
    words: ['account', 'members', 'set-role'],
    description:
      'Gives a member of an account another role. It counts from the next request of the person on. The only owner cannot get another role.',
    flags: { email: OWNER, person: MEMBER, role: ROLE },
    example: 'account members set-role --email ada@example.com --person grace@example.com --role owner',
    async run({ db }, { email, person, role }) {
      const { account, member } = await memberOf(db, email, person);
      const change = { accountId: account.id, personId: member.id, role, actor: OPERATOR };
      const changed = await changeRole(db, change);
      if (changed === 'last-owner') throw lastOwner(member);
      if (changed === 'no-member') throw noSuchMember(person);
      return { owner_email: account.owner_email, person: member.email, role };
    },
  }),
  defineCommand({
    words: ['account', 'members', 'remove'],
    description:
      'Ends a membership. At the next request, the sessions of the person are out of the account, and the tokens that apps got from them for it have ended. Keys that the person made go on. The only owner cannot be removed.',
    flags: { email: OWNER, person: MEMBER },
    example: 'account members remove --email ada@example.com --person grace@example.com',
    async run({ db }, { email, person }) {
      const { account, member } = await memberOf(db, email, person);
      const membership = { accountId: account.id, personId: member.id, actor: OPERATOR };
      const ended = await endMembership(db, membership);
      if (ended === 'last-owner') throw lastOwner(member);
      if (ended === 'no-member') throw noSuchMember(person);
      return { owner_email: account.owner_email, person: member.email, removed: true };
    },
  }),
];
