/** `person list`: everybody who can sign in. */
import { listPersons } from '../../../service/people/persons/person-store.ts';
import { defineCommand } from '../../command.ts';
import { personJson } from './person-json.ts';

export const personList = defineCommand({
  words: ['person', 'list'],
  description:
    'Lists all persons, the oldest first, with the number of their accounts. A person signs in, and is a member of accounts.',
  flags: {},
  example: 'person list',
  run: async ({ db }) =>
    (await listPersons(db)).map(({ accounts, ...person }) => ({ ...personJson(person), accounts })),
});
