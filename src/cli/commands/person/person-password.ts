/** `person password`: a new password for any person. */
import { recordAboutPerson } from '../../../service/people/members/record-about-person.ts';
import { defineCommand } from '../../command.ts';
import { givePassword, PASSWORD_FILE } from '../account/password.ts';
import { OPERATOR } from '../operator.ts';
import { PERSON_EMAIL, personOf } from './person-flag.ts';

export const personPassword = defineCommand({
  words: ['person', 'password'],
  description:
    'Sets a new password for a person who has lost it or has none, and ends all sessions of this person. First make sure who asks you for it.',
  flags: { email: PERSON_EMAIL, 'password-file': PASSWORD_FILE },
  example: 'person password --email ada@example.com --password-file password.txt',
  async run(tools, { email, 'password-file': given }) {
    const person = await personOf(tools.db, email);
    const event = { person, actor: OPERATOR, action: 'person.password' } as const;
    const made = await givePassword(tools, person, given, (transaction) =>
      recordAboutPerson(transaction, event),
    );
    return { email: person.email, ...made };
  },
});
