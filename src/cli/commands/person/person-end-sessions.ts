/** `person end-sessions`: signs a person out everywhere. */
import { signOutEverywhere } from '../../../service/people/members/sign-out-everywhere.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { PERSON_EMAIL, personOf } from './person-flag.ts';

export const personEndSessions = defineCommand({
  words: ['person', 'end-sessions'],
  description:
    'Ends all sessions of a person, in all browsers. The next request of each is signed out. The tokens of apps go on.',
  flags: { email: PERSON_EMAIL },
  example: 'person end-sessions --email ada@example.com',
  async run({ db }, { email }) {
    const person = await personOf(db, email);
    return { email: person.email, ended: await signOutEverywhere(db, person, OPERATOR) };
  },
});
