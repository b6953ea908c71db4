/** `person unlink`: lets a person come in with another identity of the provider. */
import { unlinkPerson } from '../../../service/people/provider/unlink-person.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { PERSON_EMAIL, personOf } from './person-flag.ts';

export const personUnlink = defineCommand({
  words: ['person', 'unlink'],
  description:
    'Forgets who the person is at the provider of single sign-on, and ends the sessions from there. At the next sign-in, the email address counts again.',
  flags: { email: PERSON_EMAIL },
  example: 'person unlink --email ada@example.com',
  async run({ db }, { email }) {
    const person = await personOf(db, email);
    return { email: person.email, unlinked: await unlinkPerson(db, person, OPERATOR) };
  },
});
