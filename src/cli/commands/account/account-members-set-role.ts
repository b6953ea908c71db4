/** `account members set-role`: gives a member another role. */
import { changeRole } from '../../../service/people/members/change-role.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { OWNER } from '../owner-flag.ts';
import { lastOwner, MEMBER, memberOf, noSuchMember, ROLE } from './member-flags.ts';

export const accountMembersSetRole = defineCommand({
  words: ['account', 'members', 'set-role'],
  description:
    'Gives a member of an account another role. It counts from the next request of the person on. The only owner cannot get another role.',
  flags: { email: OWNER, person: MEMBER, role: ROLE },
  example: 'account members set-role --email ada@example.com --person grace@example.com --role owner',
  async run({ db }, { email, person, role }) {
    const { account, member } = await memberOf(db, email, person);
    const changed = await changeRole(db, {
      ...{ accountId: account.id, personId: member.id, role, actor: OPERATOR },
    });
    if (changed === 'last-owner') throw lastOwner(member);
    if (changed === 'no-member') throw noSuchMember(person);
    return { owner_email: account.owner_email, person: member.email, role };
  },
});
