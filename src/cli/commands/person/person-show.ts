/** `person show`: everything about one person. */
import { membershipsOf } from '../../../service/people/members/member-store.ts';
import { countSessions } from '../../../service/people/sessions/session-store.ts';
import { defineCommand } from '../../command.ts';
import { PERSON_EMAIL, personOf } from './person-flag.ts';
import { personJson } from './person-json.ts';

export const personShow = defineCommand({
  words: ['person', 'show'],
  description: 'Shows a person with the accounts and the roles in them, and how many sessions are open.',
  flags: { email: PERSON_EMAIL },
  example: 'person show --email ada@example.com',
  async run({ db }, { email }) {
    const person = await personOf(db, email);
    const memberships = await membershipsOf(db, person.id);
    return {
      ...personJson(person),
      accounts: memberships.map(({ accountId, ownerEmail, role }) => ({
        ...{ id: accountId, owner_email: ownerEmail, role },
      })),
      sessions: await countSessions(db, person.id),
    };
  },
});
