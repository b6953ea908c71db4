/** `account members list`: who belongs to an account. */
import { listMembers } from '../../../service/people/members/member-store.ts';
import { defineCommand } from '../../command.ts';
import { accountOf, OWNER } from '../owner-flag.ts';

export const accountMembersList = defineCommand({
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
});
