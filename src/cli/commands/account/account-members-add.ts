/** `account members add`: makes a person a member of an account. */
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { hashPassword } from '../../../service/people/accounts/password-hash.ts';
import { addMember } from '../../../service/people/members/add-member.ts';
import { findPersonByEmail } from '../../../service/people/persons/person-store.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { accountOf, noSuchAccount, OWNER } from '../owner-flag.ts';
import { MEMBER, ROLE } from './member-flags.ts';
import { makePassword } from './password.ts';

export const accountMembersAdd = defineCommand({
  words: ['account', 'members', 'add'],
  description:
    'Makes a person a member of an account. If nobody has the address, it makes the person, and prints a password once. Owners and admins can also invite people in the dashboard.',
  flags: { email: OWNER, person: MEMBER, role: ROLE },
  example: 'account members add --email ada@example.com --person grace@example.com --role admin',
  async run({ db }, { email, person, role }) {
    const { id: accountId, owner_email } = await accountOf(db, email);
    const isThere = (await findPersonByEmail(db, person)) !== undefined;
    const password = makePassword();
    const passwordHash = isThere ? undefined : await hashPassword(password);
    const added = await addMember(db, { accountId, email: person, role, passwordHash, actor: OPERATOR });
    if (added.kind === 'no account') throw noSuchAccount(email);
    if (added.kind === 'member') {
      throw new UsageError(
        `Expected --person to be somebody who is not a member, got ${quote(person)}. Run account members set-role to change the role.`,
      );
    }
    if (added.kind === 'no person') {
      throw new UsageError(`Expected --person to stay, got ${quote(person)}, who was deleted. Run it again.`);
    }
    return {
      owner_email,
      person: added.email,
      person_id: added.personId,
      role,
      ...(added.isNew ? { password } : {}),
    };
  },
});
