/** `admin person reset-second-factor`. */
import { expect, it } from 'vitest';
import { beginSetUp } from '../../src/service/people/factors/authenticator-app-store.ts';
import { confirmApp } from '../../src/service/people/factors/change-factors.ts';
import { factorsOf } from '../../src/service/people/factors/factor-store.ts';
import { listPersonEvents } from '../../src/service/people/persons/person-event-store.ts';
import { testDatabase } from '../service/support/database.ts';
import { DEPS } from '../service/support/deps.ts';
import { codeOf } from '../service/support/factors.ts';
import { makePerson } from '../service/support/visitor.ts';
import { adminOn } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);

it('resets the second factor of a person, who is told about it', async () => {
  const { personId: id, email } = await makePerson(db);
  const { secret, seconds } = await beginSetUp(db, id);
  await confirmApp({ ...DEPS, db }, { id, email }, codeOf(secret, seconds));
  const reset = () => admin.done('person', 'reset-second-factor', '--email', email.toUpperCase());
  expect(await reset()).toEqual({ email, had_second_factor: true });
  expect(await factorsOf(db, id)).toEqual({
    hasPassword: true,
    hasProvider: false,
    hasApp: false,
    passkeys: 0,
    codes: 0,
  });
  expect(await listPersonEvents(db, id, 1)).toMatchObject([
    { event: 'factors.reset', actor_kind: 'operator' },
  ]);
  expect(await reset()).toEqual({ email, had_second_factor: false });
});

it('knows nobody with another address', async () => {
  const said = await admin.refused('person', 'reset-second-factor', '--email', 'nobody@example.com');
  expect(said).toContain('Run person list to see all.');
});
