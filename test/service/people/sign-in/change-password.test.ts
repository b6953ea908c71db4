/** What the form of a password cannot send, because the page shows another one. test/service/dashboard/security/ has the rest. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { silentLog } from '../../../../src/service/core/log.ts';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { beginSession } from '../../../../src/service/people/sessions/sessions.ts';
import { changePassword } from '../../../../src/service/people/sign-in/change-password.ts';
import { createPasswords } from '../../../../src/service/people/sign-in/passwords.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { CHEAP_PASSWORDS } from '../../support/account.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { makePerson, PASSWORD } from '../../support/visitor.ts';

const database = await testDatabase();
const { db } = database;
const passwords = createPasswords({ db, log: silentLog }, CHEAP_PASSWORDS);

it('sets no password without the current one for a person who has one, and leaves that', async () => {
  const { email } = await makePerson(db);
  const attempt = { email, ip: '2001:db8::1', browserToken: undefined };
  const change = {
    ...attempt,
    ...{ password: undefined, newPassword: 'a new sentence to remember', cookie: '', userAgent: undefined },
  };
  expect(await changePassword({ ...DEPS, db, passwords }, change)).toEqual({ kind: 'wrong' });
  expect(await passwords.judge({ ...attempt, password: PASSWORD })).toMatchObject({ kind: 'right' });
});

it('takes the person before a session, as a sign-in does, so that the two do not lock each other out', async () => {
  const { email, personId } = await makePerson(db);
  const browser = { userAgent: undefined, ip: '2001:db8::1', browserToken: undefined };
  const begun = await beginSession({ ...DEPS, db }, { id: personId }, { ...browser, replaced: makeValue() });
  const cookie = begun!.cookie;
  const id = digestOf(cookie);
  // So that it is noted that the session was seen.
  await sql`update sessions set seen_at = seen_at - interval '1 hour' where id = ${id}`.execute(db);
  const change = { ...browser, email, password: PASSWORD, newPassword: 'a new sentence to remember', cookie };
  const [changed] = await database
    .connect(1)
    .transaction()
    .execute(async (other) => {
      await sql`select from persons where id = ${personId} for share`.execute(other);
      const changing = changePassword({ ...DEPS, db, passwords }, change);
      await untilBlocked(db);
      await sql`delete from sessions where id = ${id}`.execute(other);
      // In a list, because the transaction would wait for a promise.
      return [changing];
    });
  expect(await changed).toMatchObject({ kind: 'changed', ended: 0 });
});
