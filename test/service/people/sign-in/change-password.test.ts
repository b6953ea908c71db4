/** What the form of a password cannot send, because the page shows another one. test/service/dashboard/security/ has the rest. */
import { expect, it } from 'vitest';
import { silentLog } from '../../../../src/service/core/log.ts';
import { changePassword } from '../../../../src/service/people/sign-in/change-password.ts';
import { createPasswords } from '../../../../src/service/people/sign-in/passwords.ts';
import { CHEAP_PASSWORDS } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { makePerson, PASSWORD } from '../../support/visitor.ts';

const { db } = await testDatabase();
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
