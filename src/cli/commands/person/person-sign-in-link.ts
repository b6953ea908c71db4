/** `person sign-in-link`: a link that lets a person in once. */
import { makeSignInLink } from '../../../service/people/sign-in/sign-in-links.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { PERSON_EMAIL, personOf } from './person-flag.ts';

export const personSignInLink = defineCommand({
  words: ['person', 'sign-in-link'],
  description:
    'Makes a link that signs a person in once, within 10 minutes, without a password, a second factor or single sign-on. Make sure who asks, and pass the link on in a way that only this person reads. An earlier link of the person ends.',
  flags: { email: PERSON_EMAIL },
  example: 'person sign-in-link --email ada@example.com',
  async run({ db, serviceUrl }, { email }) {
    const person = await personOf(db, email);
    const { path, endsAt } = await makeSignInLink(db, person, OPERATOR);
    return { email: person.email, link: `${serviceUrl}${path}`, ends_at: endsAt.toISOString() };
  },
});
