/** `person reset-second-factor`: for a person who has lost the second factor. */
import { resetSecondFactor } from '../../../service/people/factors/change-factors.ts';
import { defineCommand } from '../../command.ts';
import { OPERATOR } from '../operator.ts';
import { PERSON_EMAIL, personOf } from './person-flag.ts';

export const personResetSecondFactor = defineCommand({
  words: ['person', 'reset-second-factor'],
  description:
    'Removes the authenticator app, the passkeys and the recovery codes of a person who has lost them. Then the password alone lets the person in. First make sure who asks you for it.',
  flags: { email: PERSON_EMAIL },
  example: 'person reset-second-factor --email ada@example.com',
  async run({ db }, { email }) {
    const person = await personOf(db, email);
    return { email: person.email, had_second_factor: await resetSecondFactor(db, person, OPERATOR) };
  },
});
