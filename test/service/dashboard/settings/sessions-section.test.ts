/** The sessions of an account, as its owner sees and ends them. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { browserName } from '../../../../src/service/dashboard/settings/browser-name.ts';
import { testDatabase } from '../../support/database.ts';
import type { Visitor } from '../../support/visitor.ts';
import { deedsOf, doneMessage, FIREFOX, openSettings, SAFARI } from './person.ts';

const { db } = await testDatabase();

const listed = ({ document }: Visitor) =>
  [...document.querySelectorAll('[aria-label="Signed-in browsers"] tbody tr')].map((row) => [
    row.querySelector('th')!.textContent,
    row.querySelectorAll('td')[1]!.textContent,
  ]);

it('lists the browsers in words, this one first, and when they were used', async () => {
  const { visitor, signIn } = await openSettings(db);
  expect(listed(visitor)).toEqual([['Firefox on Linux', 'now']]);
  expect(visitor.text).toContain('There are no other sessions.');
  expect(visitor.has('End all other sessions')).toBe(false);
  await signIn(SAFARI);
  await visitor.open('/dashboard/settings');
  expect(listed(visitor)).toEqual([
    ['Firefox on Linux', 'now'],
    ['Safari on iOS', expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/)],
  ]);
});

it('ends one session, and no other', async () => {
  const { visitor, signIn, person } = await openSettings(db);
  const [phone, other] = [await signIn(SAFARI), await signIn()];
  await sql`update sessions set seen_at = seen_at - interval '1 hour' where user_agent = ${SAFARI}`.execute(
    db,
  );
  await visitor.open('/dashboard/settings');
  const buttons = [...visitor.document.querySelectorAll('tbody button')];
  const names = buttons.map(({ textContent }) => textContent!);
  expect(names).toEqual([
    expect.stringMatching(/^End the session of Firefox on Linux, since \d/),
    expect.stringMatching(/^End the session of Safari on iOS, since \d/),
  ]);
  // The script shows it in the time zone of the reader.
  expect(buttons.map((button) => button.querySelectorAll('time').length)).toEqual([1, 1]);
  await visitor.press(names[1]!);
  expect(visitor.status).toBe(303);
  await visitor.open('/dashboard/settings?done=session');
  expect(doneMessage(visitor)).toBe('The session has ended.');
  expect((await phone.open('/dashboard/settings')).has('Sign in')).toBe(true);
  expect((await other.open('/dashboard/settings')).has('Sign in')).toBe(false);
  expect(await deedsOf(db, person.id)).toMatchObject([
    { action: 'settings.sessions', details: { ended: 1 } },
  ]);
});

it('ends all others at once, and says nothing to the log if there are none', async () => {
  const { visitor, signIn, person } = await openSettings(db);
  const others = [await signIn(), await signIn()];
  await visitor.open('/dashboard/settings');
  const { action, sent } = visitor.formOf('End all other sessions');
  await visitor.post(action, sent);
  for (const other of others) expect((await other.open('/dashboard/settings')).has('Sign in')).toBe(true);
  await visitor.post(action, sent);
  expect(visitor.location).toBe('/dashboard/settings?done=sessions#said');
  expect((await visitor.open('/dashboard/settings')).status).toBe(200);
  expect(await deedsOf(db, person.id)).toMatchObject([{ details: { ended: 2 } }]);
});

it('answers alike for the session of a stranger, one that has ended, and nonsense', async () => {
  const { visitor, signIn } = await openSettings(db);
  const stranger = await openSettings(db);
  await signIn();
  await visitor.open('/dashboard/settings');
  const { action, sent } = visitor.formOf(visitor.document.querySelector('tbody button')!.textContent!);
  const { rows } = await sql<{ id: string }>`
    select encode(id, 'hex') as id from sessions where account_id = ${stranger.person.id}
  `.execute(db);
  for (const session of [rows[0]!.id, 'ab'.repeat(32), 'nonsense', '']) {
    await visitor.post(action, { ...sent, session });
    expect([visitor.status, visitor.text.includes('no such session')]).toEqual([404, true]);
  }
  const { session: _session, ...without } = sent;
  expect((await visitor.post(action, without)).status).toBe(404);
  expect((await stranger.visitor.open('/dashboard/settings')).status).toBe(200);
});

it('notes once a minute that a session is used', async () => {
  const { visitor, person } = await openSettings(db);
  const seenAt = async () => {
    const row = await db
      .selectFrom('sessions')
      .select('seen_at')
      .where('account_id', '=', person.id)
      .executeTakeFirstOrThrow();
    return row.seen_at.getTime();
  };
  const first = await seenAt();
  await visitor.open('/dashboard/settings');
  expect(await seenAt()).toBe(first);
  await sql`update sessions set seen_at = seen_at - interval '2 minutes'`.execute(db);
  await visitor.open('/dashboard/settings');
  expect(await seenAt()).toBeGreaterThanOrEqual(first);
});

it('waits for nobody who holds the session', async () => {
  const { visitor, person } = await openSettings(db);
  await sql`update sessions set seen_at = seen_at - interval '2 minutes'`.execute(db);
  await db.transaction().execute(async (transaction) => {
    await transaction
      .selectFrom('sessions')
      .selectAll()
      .where('account_id', '=', person.id)
      .forUpdate()
      .execute();
    expect((await visitor.open('/dashboard/settings')).status).toBe(200);
  });
});

it('cuts a long name of a browser, and knows what it does not know', async () => {
  const { person } = await openSettings(db);
  const long = await openSettings(db);
  await long.signIn(`${FIREFOX} ${'x'.repeat(5000)}`);
  const { rows } = await sql<{ length: number }>`
    select max(length(user_agent)) as length from sessions where account_id = ${long.person.id}
  `.execute(db);
  expect(rows[0]!.length).toBe(400);
  expect(person.id).not.toBe(long.person.id);
  expect([browserName(null), browserName(''), browserName('curl/8')]).toEqual(
    Array(3).fill('Unknown browser'),
  );
  expect(browserName('Firefox/140')).toBe('Firefox');
});
