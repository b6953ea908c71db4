/** `person …`: the people who sign in. What is printed of them never has the hash of the password. */
import { quote, UsageError } from '../../service/core/usage-error.ts';
import type { Db } from '../../service/database/schema.ts';
import { resetSecondFactor } from '../../service/people/factors/change-factors.ts';
import { deletePersonWithMemberships } from '../../service/people/members/delete-person.ts';
import { membershipsOf } from '../../service/people/members/member-store.ts';
import { recordAboutPerson } from '../../service/people/members/record-about-person.ts';
import { signOutEverywhere } from '../../service/people/members/sign-out-everywhere.ts';
import { findPersonByEmail, listPersons, type Person } from '../../service/people/persons/person-store.ts';
import { unlinkPerson } from '../../service/people/provider/unlink-person.ts';
import { countSessions } from '../../service/people/sessions/session-store.ts';
import { makeSignInLink } from '../../service/people/sign-in/sign-in-links.ts';
import { type Command, defineCommand } from '../command.ts';
import { address, required, toggle } from '../flags.ts';
import { givePassword, PASSWORD_FILE } from './account/password.ts';
import { OPERATOR } from './operator.ts';

const PERSON_EMAIL = required(address('The address that the person signs in with, in upper or lower case.'));

/** @param flag the name of the flag that has the address @throws {UsageError} for an address that no person has */
export async function personOf(db: Db, email: string, flag = '--email'): Promise<Person> {
  const person = await findPersonByEmail(db, email);
  if (person) return person;
  throw new UsageError(
    `Expected ${flag} to be the address of a person, got ${quote(email)}. Run person list to see all.`,
  );
}

const personJson = ({ id, email, password_hash, created_at }: Person) => ({
  ...{ id, email, has_password: password_hash !== null },
  created_at: created_at.toISOString(),
});

export const PERSON: readonly Command[] = [
  defineCommand({
    words: ['person', 'list'],
    description:
      'Lists all persons, the oldest first, with the number of their accounts. A person signs in, and is a member of accounts.',
    flags: {},
    example: 'person list',
    run: async ({ db }) =>
      (await listPersons(db)).map(({ accounts, ...person }) => ({ ...personJson(person), accounts })),
  }),
  defineCommand({
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
  }),
  defineCommand({
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
  }),
  defineCommand({
    words: ['person', 'reset-second-factor'],
    description:
      'Removes the authenticator app, the passkeys and the recovery codes of a person who has lost them. Then the password alone lets the person in. First make sure who asks you for it.',
    flags: { email: PERSON_EMAIL },
    example: 'person reset-second-factor --email ada@example.com',
    async run({ db }, { email }) {
      const person = await personOf(db, email);
      return { email: person.email, had_second_factor: await resetSecondFactor(db, person, OPERATOR) };
    },
  }),
  defineCommand({
    words: ['person', 'end-sessions'],
    description:
      'Ends all sessions of a person, in all browsers. The next request of each is signed out. The tokens of apps go on.',
    flags: { email: PERSON_EMAIL },
    example: 'person end-sessions --email ada@example.com',
    async run({ db }, { email }) {
      const person = await personOf(db, email);
      return { email: person.email, ended: await signOutEverywhere(db, person, OPERATOR) };
    },
  }),
  defineCommand({
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
  }),
  defineCommand({
    words: ['person', 'unlink'],
    description:
      'Forgets who the person is at the provider of single sign-on, and ends the sessions from there. At the next sign-in, the email address counts again.',
    flags: { email: PERSON_EMAIL },
    example: 'person unlink --email ada@example.com',
    async run({ db }, { email }) {
      const person = await personOf(db, email);
      return { email: person.email, unlinked: await unlinkPerson(db, person, OPERATOR) };
    },
  }),
  defineCommand({
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
  }),
];
