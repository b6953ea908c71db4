/** `person delete`: deletes a person with everything of their sign-in. */
import { quote, UsageError } from '../../../service/core/usage-error.ts';
import { deletePersonWithMemberships } from '../../../service/people/members/delete-person.ts';
import { defineCommand } from '../../command.ts';
import { required, toggle } from '../../flags.ts';
import { OPERATOR } from '../operator.ts';
import { PERSON_EMAIL, personOf } from './person-flag.ts';

export const personDelete = defineCommand({
  words: ['person', 'delete'],
  description:
    'Deletes a person with the password, sessions and memberships. You cannot undo this. The accounts stay with all that the person made in them, and their audit logs still name the person. It is refused for the only owner of an account: give it another owner first, or delete the account.',
  flags: { email: PERSON_EMAIL, yes: required(toggle('Confirms the deletion.')) },
  example: 'person delete --email ada@example.com --yes',
  async run({ db }, { email }) {
    const { id, email: spelled } = await personOf(db, email);
    const deleted = await deletePersonWithMemberships(db, id, OPERATOR);
    if (typeof deleted === 'object') {
      throw new UsageError(
        `Expected --email to be a person whose accounts have another owner, got the only owner of ${quote(deleted.onlyOwnerOf)}. Add another owner with account members add.`,
      );
    }
    if (deleted === 'gone') await personOf(db, email);
    return { id, email: spelled, deleted: true };
  },
});
