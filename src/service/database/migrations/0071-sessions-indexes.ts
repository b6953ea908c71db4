/** Finds the sessions of a person, and those in which an account is chosen. */
import { buildIndexes } from '../migration.ts';

export const sessionsIndexes = buildIndexes({
  sessions_of_person: 'on sessions (person_id)',
  sessions_of_chosen_account: 'on sessions (chosen_account_id)',
});
