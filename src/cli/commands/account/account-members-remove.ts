/** `account members remove`: ends a membership. */
import { endMembership } from '../../../service/people/members/end-membership.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { OWNER } from '../owner-flag.ts';
import { lastOwner, MEMBER, memberOf, noSuchMember } from './member-flags.ts';

export const accountMembersRemove = defineCommand({
  words: ['account', 'members', 'remove'],
  description:
    'Ends a membership. At the next request, the sessions of the person are out of the account, and the tokens that apps got from them for it have ended. Keys that the person made go on. The only owner cannot be removed.',
  flags: { email: OWNER, person: MEMBER },
  example: 'account members remove --email ada@example.com --person grace@example.com',
  async run({ db }, { email, person }) {
    const { account, member } = await memberOf(db, email, person);
    const ended = await endMembership(db, {
      ...{ accountId: account.id, personId: member.id, actor: OPERATOR },
    });
    if (ended === 'last-owner') throw lastOwner(member);
    if (ended === 'no-member') throw noSuchMember(person);
    return { owner_email: account.owner_email, person: member.email, removed: true };
  },
});
