/** A sign-in hashes the password again when the cost of new hashes has risen. */
import { expect, it } from 'vitest';
import { silentLog } from '../../../../src/service/core/log.ts';
import { checkPassword, hashPassword } from '../../../../src/service/people/accounts/password-hash.ts';
import { findPersonById, setPersonPassword } from '../../../../src/service/people/persons/person-store.ts';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { findSession } from '../../../../src/service/people/sessions/session-store.ts';
import { beginSession } from '../../../../src/service/people/sessions/sessions.ts';
import { recogniseBrowser } from '../../../../src/service/people/sign-in/known-browser.ts';
import { createPasswords } from '../../../../src/service/people/sign-in/passwords.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { makePerson, PASSWORD, type Person } from '../../support/visitor.ts';

const database = await testDatabase();
const { db } = database;
emptyBeforeEach(db, 'guesses');

/** Higher than that of the person's hash. */
const RISEN = { N: 32, r: 1, p: 2 };
/** Two processes. */
const processes = [db, database.connect()].map((db) => createPasswords({ db, log: silentLog }, RISEN));
let tries = 0;
function judge({ email }: Person, password = PASSWORD) {
  tries += 1;
  const attempt = { email, password, ip: '192.0.2.1', browserToken: undefined };
  return processes[tries % 2]!.judge(attempt);
}
const hashOf = async ({ personId }: Person) => (await findPersonById(db, personId))!.password_hash!;

it('replaces the hash, and leaves sessions and known browsers', async () => {
  const person = await makePerson(db);
  const before = await hashOf(person);
  const deps = { ...DEPS, db, settings: settingsWith() };
  const browser = { replaced: makeValue(), userAgent: undefined, ip: '192.0.2.1', browserToken: undefined };
  const begun = (await beginSession(deps, { id: person.personId }, browser))!;
  const judged = await judge(person);
  const after = await hashOf(person);
  expect(after).toMatch(/^scrypt\$32\$1\$2\$/);
  expect(after).not.toBe(before);
  expect(judged).toMatchObject({ kind: 'right', checkedHash: after, person: { password_hash: after } });
  expect(await findSession(db, digestOf(begun.cookie))).toBeDefined();
  expect(await recogniseBrowser(db, person.personId, begun.browserToken)).toBeDefined();
  expect(await judge(person)).toMatchObject({ kind: 'right', checkedHash: after });
  expect(await hashOf(person)).toBe(after);
});

it('replaces nothing after a wrong password', async () => {
  const person = await makePerson(db);
  const before = await hashOf(person);
  expect(await judge(person, 'not the password')).toEqual({ kind: 'wrong' });
  expect(await hashOf(person)).toBe(before);
});

it('lets all sign-ins in that come at once, each with the hash that is stored', async () => {
  const person = await makePerson(db);
  const judged = await Promise.all(Array.from({ length: 8 }, () => judge(person)));
  const after = await hashOf(person);
  expect(judged).toEqual(Array(8).fill(expect.objectContaining({ kind: 'right', checkedHash: after })));
});

it('never takes a new password back that is set at the same time', async () => {
  const next = await hashPassword('the new password', RISEN);
  for (let round = 0; round < 20; round += 1) {
    const person = await makePerson(db);
    await Promise.all([judge(person), judge(person), setPersonPassword(db, person.personId, next)]);
    expect(await hashOf(person)).toBe(next);
    expect(await checkPassword('the new password', await hashOf(person), RISEN)).toBe(true);
  }
});
