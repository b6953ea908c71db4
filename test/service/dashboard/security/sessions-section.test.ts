/** The sessions of an account, as its owner sees and ends them. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { browserName } from '../../../../src/service/dashboard/security/browser-name.ts';
import { recogniseBrowser } from '../../../../src/service/people/sign-in/known-browser.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { testDatabase } from '../../support/database.ts';
import { PASSWORD, type Visitor } from '../../support/visitor.ts';
import { deedsOf, doneMessage, FIREFOX, openSecurity, SAFARI } from '../settings/person.ts';

const { db, run } = await testDatabase();

const listed = ({ document }: Visitor) =>
  [...document.querySelectorAll('[aria-label="Signed-in browsers"] tbody tr')].map((row) => [
    row.querySelector('th')!.textContent,
    row.querySelectorAll('td')[2]!.textContent,
  ]);

it('lists the browsers in words, this one first, and when they were used', async () => {
  const { visitor, signIn } = await openSecurity(db);
  expect(listed(visitor)).toEqual([['Firefox on Linux', 'now']]);
  expect(visitor.text).toContain('There are no other sessions.');
  expect(visitor.has('End all other sessions')).toBe(false);
  await signIn(SAFARI);
  await visitor.open('/dashboard/security');
  expect(listed(visitor)).toEqual([
    ['Firefox on Linux', 'now'],
    ['Safari on iOS', expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/)],
  ]);
});

it('ends one session, and no other', async () => {
  const { visitor, signIn, person } = await openSecurity(db);
  const [phone, other] = [await signIn(SAFARI), await signIn()];
  await run`update sessions set seen_at = seen_at - interval '1 hour' where user_agent = ${SAFARI}`;
  await visitor.open('/dashboard/security');
  const buttons = [...visitor.document.querySelectorAll('tbody button')];
  const names = buttons.map(({ textContent }) => textContent!);
  expect(names).toEqual([
    expect.stringMatching(/^End the session of Firefox on Linux, since \d/),
    expect.stringMatching(/^End the session of Safari on iOS, since \d/),
  ]);
  // The script shows it in the time zone of the reader.
  expect(buttons.map((button) => button.querySelectorAll('time').length)).toEqual([1, 1]);
  expect((await visitor.press(names[1]!)).status).toBe(303);
  await visitor.open('/dashboard/security?done=session');
  expect(doneMessage(visitor)).toBe('The session has ended.');
  expect((await phone.open('/dashboard/security')).has('Sign in')).toBe(true);
  expect((await other.open('/dashboard/security')).has('Sign in')).toBe(false);
  expect(await deedsOf(db, person.id)).toMatchObject([
    { action: 'settings.sessions', details: { ended: 1 } },
  ]);
});

it('ends all others at once, and says nothing to the log if there are none', async () => {
  const { visitor, signIn, person } = await openSecurity(db);
  const others = [await signIn(), await signIn()];
  const { action, sent } = (await visitor.open('/dashboard/security')).formOf('End all other sessions');
  await visitor.post(action, sent);
  for (const other of others) expect((await other.open('/dashboard/security')).has('Sign in')).toBe(true);
  await visitor.post(action, sent);
  expect(visitor.location).toBe('/dashboard/security?done=sessions#said');
  expect((await visitor.open('/dashboard/security')).status).toBe(200);
  expect(await deedsOf(db, person.id)).toMatchObject([{ details: { ended: 2 } }]);
});

it('answers alike for the session of a stranger, one that has ended, and nonsense', async () => {
  const { visitor, signIn } = await openSecurity(db);
  const stranger = await openSecurity(db);
  await signIn();
  await visitor.open('/dashboard/security');
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
  expect((await stranger.visitor.open('/dashboard/security')).status).toBe(200);
});

it('notes once a minute that a session is used', async () => {
  const { visitor, person } = await openSecurity(db);
  const seenAt = async () => {
    const session = sql<{ seen_at: Date }>`select seen_at from sessions where account_id = ${person.id}`;
    return (await session.execute(db)).rows[0]!.seen_at.getTime();
  };
  const first = await seenAt();
  await visitor.open('/dashboard/security');
  expect(await seenAt()).toBe(first);
  await run`update sessions set seen_at = seen_at - interval '2 minutes'`;
  await visitor.open('/dashboard/security');
  expect(await seenAt()).toBeGreaterThanOrEqual(first);
});

it('waits for nobody who holds the session', async () => {
  const { visitor, person } = await openSecurity(db);
  await run`update sessions set seen_at = seen_at - interval '2 minutes'`;
  await db.transaction().execute(async (transaction) => {
    await sql`select from sessions where account_id = ${person.id} for update`.execute(transaction);
    expect((await visitor.open('/dashboard/security')).status).toBe(200);
  });
});

it('cuts a long name of a browser, and knows what it does not know', async () => {
  const { person } = await openSecurity(db);
  const long = await openSecurity(db);
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

const knownBrowsers = ({ document }: Visitor) =>
  [...document.querySelectorAll('[aria-label="Known browsers"] tbody tr')].map((row) => [
    row.querySelector('th')!.textContent,
    row.querySelector('td')!.textContent,
  ]);

it('shows the network of each session: an IPv4 address, or half of an IPv6 address', async () => {
  const { visitor, person, newVisitor } = await openSecurity(db);
  await newVisitor(SAFARI).signIn(person, PASSWORD, { ip: '2001:db8:1:2:3::4' });
  await visitor.open('/dashboard/security');
  const networks = [...visitor.document.querySelectorAll('[aria-label="Signed-in browsers"] tbody tr')].map(
    (row) => row.querySelector('td')!.textContent,
  );
  expect(networks).toEqual(['198.51.100.7', '2001:db8:1:2::/64']);
});

it('lists the browsers of earlier sign-ins, and forgets one', async () => {
  const { visitor, signIn, person } = await openSecurity(db);
  const phone = await signIn(SAFARI);
  await (await phone.open('/dashboard/')).press('Sign out');
  await visitor.open('/dashboard/security');
  expect(knownBrowsers(visitor)).toEqual([['Safari on iOS', '198.51.100.7']]);
  const [button] = visitor.document.querySelectorAll('[aria-label="Known browsers"] button');
  expect((await visitor.press(button!.textContent!)).location).toBe('/dashboard/security?done=browser#said');
  await visitor.follow();
  expect(knownBrowsers(visitor)).toEqual([]);
  const token = phone.cookies.get('known-browser');
  expect(await recogniseBrowser(db, person.personId, token)).toBeUndefined();
  expect(await recogniseBrowser(db, person.personId, visitor.cookies.get('known-browser'))).toBeDefined();
});

it('forgets the browser of a session that it ends, and all but this one with all sessions', async () => {
  const { visitor, signIn, person } = await openSecurity(db);
  const others = [await signIn(SAFARI), await signIn(), await signIn()];
  await (await others[2]!.open('/dashboard/')).press('Sign out');
  await visitor.open('/dashboard/security');
  const isKnown = async (browser: Visitor) =>
    (await recogniseBrowser(db, person.personId, browser.cookies.get('known-browser'))) !== undefined;
  const [button] = [...visitor.document.querySelectorAll('tbody button')].filter(({ textContent }) =>
    textContent!.includes('Safari'),
  );
  await visitor.press(button!.textContent!);
  expect(await isKnown(others[0]!)).toBe(false);
  expect(await Promise.all([others[1]!, others[2]!, visitor].map(isKnown))).toEqual([true, true, true]);
  await visitor.open('/dashboard/security');
  await visitor.press('End all other sessions');
  expect(await Promise.all([others[1]!, others[2]!, visitor].map(isKnown))).toEqual([false, false, true]);
});

it('answers alike for the browser of a stranger, and nonsense', async () => {
  const { visitor, signIn } = await openSecurity(db);
  const stranger = await openSecurity(db);
  await (await (await signIn()).open('/dashboard/')).press('Sign out');
  await visitor.open('/dashboard/security');
  const [button] = visitor.document.querySelectorAll('[aria-label="Known browsers"] button');
  const { action, sent } = visitor.formOf(button!.textContent!);
  const own = digestOf(stranger.visitor.cookies.get('known-browser')!).toString('hex');
  for (const browser of [own, 'ab'.repeat(32), 'nonsense', '']) {
    await visitor.post(action, { ...sent, browser });
    expect([visitor.status, visitor.text.includes('no such browser')]).toEqual([404, true]);
  }
  expect((await stranger.visitor.open('/dashboard/security')).status).toBe(200);
});

it('asks who it is before it ends sessions, if that was long ago', async () => {
  const { visitor, signIn } = await openSecurity(db);
  const other = await signIn();
  await run`update sessions set authenticated_at = authenticated_at - interval '1 hour'`;
  await visitor.open('/dashboard/security');
  expect((await visitor.press('End all other sessions')).status).toBe(403);
  expect((await other.open('/dashboard/security')).has('Sign in')).toBe(false);
  await visitor.press('Continue', { Password: PASSWORD });
  expect(visitor.location).toBe('/dashboard/security?done=sessions#said');
  expect((await other.open('/dashboard/security')).has('Sign in')).toBe(true);
});

it('ends a session that nobody uses, however often its open page updates itself', async () => {
  const { visitor, person } = await openSecurity(db, { durations: { sessionIdle: 7200 } });
  const passHours = (hours: number) =>
    run`update sessions set seen_at = seen_at - make_interval(hours => ${hours}),
      idle_at = idle_at - make_interval(hours => ${hours}) where person_id = ${person.personId}`;
  const update = { headers: { 'x-by-itself': '1' } };
  await passHours(1);
  await visitor.open('/dashboard/', update);
  expect(visitor.has('Sign in')).toBe(false);
  expect((await visitor.open('/dashboard/?by_itself=1')).has('Sign in')).toBe(false);
  await passHours(1);
  expect((await visitor.open('/dashboard/')).has('Sign in')).toBe(true);
});
