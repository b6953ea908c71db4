/** The second step of a sign-in over HTTP, with a real database. */
import { describe, expect, it } from 'vitest';
import { findApp } from '../../../../src/service/people/factors/authenticator-app-store.ts';
import { setPersonPassword } from '../../../../src/service/people/persons/person-store.ts';
import { sha256 } from '../../../../src/shared/sha256.ts';
import { dumpOf, emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { addPasskey, codeOf, nextCode, optionsOf, setUpApp } from '../../support/factors.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { isSignedIn, makePerson, PASSWORD, Visitor } from '../../support/visitor.ts';

const database = await testDatabase();
const { db, run } = database;
emptyBeforeEach(db, 'guesses');

const CODE = 'Code from your authenticator app';
const ENDED = 'The sign-in has ended, because ten minutes are over. Sign in again.';

/** A person with an authenticator app, and a visitor after the right password. */
async function start() {
  const { app, logged } = await startStoredService(db, { isOwn: true });
  const person = await makePerson(db);
  const owner = await new Visitor(app).signIn(person);
  const codes = await setUpApp(db, owner, person.personId);
  const half = async (more: object = {}) => (await new Visitor(app, more).signIn(person)).follow();
  return { app, logged, person, owner, codes, half };
}

describe('a right password of a person with a second factor', () => {
  it('leads to the second step, which opens nothing and names nobody', async () => {
    const { person, half } = await start();
    const visitor = await half();
    expect(visitor.status).toBe(200);
    expect(visitor.text).toContain('Second step');
    expect(visitor.response.body).not.toContain(person.email);
    expect(visitor.response.body).not.toContain(person.id);
    expect(visitor.cookies.has('known-browser')).toBe(false);
    for (const path of ['/dashboard/', '/dashboard/security', '/dashboard/audit.csv', '/oauth/device'])
      expect((await visitor.open(path)).has('Sign out'), path).toBe(false);
    expect(await db.selectFrom('half_sign_ins').select('id').execute()).toHaveLength(1);
  });

  it('is followed by the code of the app, at any process, and leads where the person wanted', async () => {
    const { app, person } = await start();
    const other = await startStoredService(database.connect());
    const visitor = await new Visitor(app).open('/login?return_to=%2Fdashboard%2Fusage%3Fmonth%3D2026-11');
    await visitor.signIn(person);
    expect([visitor.status, visitor.location]).toEqual([303, '/login']);
    const elsewhere = await visitor.copy(other.app).open('/login');
    await elsewhere.press('Sign in', { [CODE]: await nextCode(db, person.personId) });
    expect([elsewhere.status, elsewhere.location]).toEqual([303, '/dashboard/usage?month=2026-11']);
    expect(await isSignedIn(elsewhere)).toBe(true);
  });

  it('begins with a new cookie, and goes on with another', async () => {
    const { person, half } = await start();
    const visitor = await half();
    const before = visitor.cookies.get('session')!;
    const session = sha256(before);
    await visitor.press('Sign in', { [CODE]: await nextCode(db, person.personId) });
    expect(sha256(visitor.cookies.get('session')!)).not.toBe(session);
    visitor.cookies.set('session', before);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('ends the session that the browser had, because a copy of its cookie could go on with it', async () => {
    const { app, person } = await start();
    const visitor = await new Visitor(app).signIn(await makePerson(db));
    const copy = visitor.copy();
    expect(await isSignedIn(copy)).toBe(true);
    await (await visitor.open('/login?other=account')).signIn(person);
    expect(visitor.location).toBe('/login');
    expect(await isSignedIn(copy)).toBe(false);
  });

  it('ends after ten minutes', async () => {
    const { person, half } = await start();
    const visitor = await half();
    await run`update half_sign_ins set expires_at = expires_at - interval '10 minutes'`;
    await visitor.press('Sign in', { [CODE]: await nextCode(db, person.personId) });
    expect([visitor.status, visitor.text.includes(ENDED)]).toEqual([403, true]);
    expect((await visitor.open('/login')).text).not.toContain('Second step');
  });

  it('ends when the password is changed', async () => {
    const { person, half } = await start();
    const visitor = await half();
    await setPersonPassword(db, person.personId, 'scrypt$other');
    await visitor.press('Sign in', { [CODE]: await nextCode(db, person.personId) });
    expect(visitor.status).toBe(403);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('can be given up', async () => {
    const { half } = await start();
    const visitor = await half();
    expect((await visitor.open('/login?step=first')).has('Sign in')).toBe(true);
    expect(visitor.text).toContain('Password');
  });

  it('begins at most 100 sign-ins that wait', async () => {
    const { person, half } = await start();
    await run`
      insert into half_sign_ins (id, person_id, password_digest, created_at, expires_at)
      select sha256(n::text::bytea), ${person.personId}, sha256('x'), clock_timestamp() - interval '5 minutes',
        clock_timestamp() + interval '5 minutes' from generate_series(1, 150) as n
    `;
    expect((await half()).text).toContain('Second step');
    const waiting = db.selectFrom('half_sign_ins').select('id').where('person_id', '=', person.personId);
    expect(await waiting.execute()).toHaveLength(100);
  });
});

describe('a code of the app', () => {
  it('is refused if it is wrong, with the page again', async () => {
    const { half, logged, person } = await start();
    const visitor = await half();
    await visitor.press('Sign in', { [CODE]: '000 000' });
    expect(visitor.status).toBe(422);
    expect(visitor.document.querySelector('#problem')?.textContent).toContain('The code is wrong');
    expect(visitor.document.querySelector('#code')?.getAttribute('aria-invalid')).toBe('true');
    const line = logged.find((one) => one.includes('second factor wrong'))!;
    expect(line).toContain('admin person reset-second-factor');
    expect(line).toContain(sha256(person.email).slice(0, 16));
    expect(line).not.toContain('@');
  });

  it('is accepted once, however many requests bring it at once', async () => {
    const { person, half } = await start();
    const visitors = await Promise.all([half(), half(), half(), half()]);
    const code = await nextCode(db, person.personId);
    await Promise.all(visitors.map((visitor) => visitor.press('Sign in', { [CODE]: code })));
    expect(visitors.map(({ status }) => status).sort()).toEqual([303, 422, 422, 422]);
  });

  it('is not the one of the set-up again', async () => {
    const { person, half } = await start();
    const { secret, lastStep } = (await findApp(db, person.personId))!;
    const visitor = await half();
    expect((await visitor.press('Sign in', { [CODE]: codeOf(secret, lastStep! * 30) })).status).toBe(422);
  });

  it('is counted for the person, from any network and session, and a recovery code passes at once', async () => {
    const { person, half, codes, logged } = await start();
    for (let count = 0; count < 10; count += 1) {
      const guessing = await half({ ip: `203.0.113.${count}` });
      expect((await guessing.press('Sign in', { [CODE]: '000000' })).status).toBe(422);
    }
    const visitor = await half({ ip: '198.51.100.1' });
    await visitor.press('Sign in', { [CODE]: await nextCode(db, person.personId) });
    expect([visitor.status, Number(visitor.response.headers['retry-after']) > 0]).toEqual([429, true]);
    expect(logged.join()).toContain('Whoever sends these codes knows the password.');
    await visitor.press('Use a recovery code', { 'Recovery code': codes[0]! });
    expect(visitor.status).toBe(303);
    expect(await isSignedIn(visitor)).toBe(true);
  });

  it('ends the count of wrong ones when it is right', async () => {
    const { person, half } = await start();
    for (let count = 0; count < 3; count += 1) await (await half()).press('Sign in', { [CODE]: '000000' });
    await (await half()).press('Sign in', { [CODE]: await nextCode(db, person.personId) });
    expect(await db.selectFrom('guesses').select('wrong').where('wrong', '>=', 3).execute()).toEqual([]);
  });
});

describe('a recovery code', () => {
  it('lets a person in once, however it is typed', async () => {
    const { half, codes, person, owner } = await start();
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/);
    const typed = codes[3]!.toUpperCase().replaceAll('-', ' ').replaceAll('0', 'O').replaceAll('1', 'l');
    const visitor = await half();
    await visitor.press('Use a recovery code', { 'Recovery code': typed });
    expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/']);
    const again = await half();
    expect((await again.press('Use a recovery code', { 'Recovery code': codes[3]! })).status).toBe(422);
    const said = `${person.email}Used a recovery code. 9 codes are left.`;
    expect((await owner.open('/dashboard/audit')).text).toContain(said);
  });

  it('is used by one of several requests at once', async () => {
    const { half, codes } = await start();
    const visitors = await Promise.all([half(), half(), half()]);
    await Promise.all(
      visitors.map((visitor) => visitor.press('Use a recovery code', { 'Recovery code': codes[0]! })),
    );
    expect(visitors.map(({ status }) => status).sort()).toEqual([303, 422, 422]);
  });

  it('is nobody else’s, and is stored as a digest', async () => {
    const [one, other] = [await start(), await start()];
    const visitor = await one.half();
    await visitor.press('Use a recovery code', { 'Recovery code': other.codes[0]! });
    expect(visitor.status).toBe(422);
    const hex = Buffer.from(one.codes[0]!.replaceAll('-', '')).toString('hex');
    expect(await dumpOf(db, 'recovery_codes')).not.toMatch(new RegExp(`${hex}|${one.codes[0]}`));
  });

  it('leads to the page for new ones when few are left, but back to the page of an app', async () => {
    const { app, half, codes, person } = await start();
    await run`delete from recovery_codes where person_id = ${person.personId} and digest not in (
      select digest from recovery_codes where person_id = ${person.personId} limit 4)`;
    for (const code of codes) {
      const visitor = await half();
      await visitor.press('Use a recovery code', { 'Recovery code': code });
      if (visitor.status !== 303) continue;
      expect((await visitor.follow()).text).toContain('Few are left: make new ones now.');
      const onTheWay = await new Visitor(app).open('/login?return_to=%2Foauth%2Fdevice');
      await (await onTheWay.signIn(person)).follow();
      for (const other of codes) {
        await onTheWay.press('Use a recovery code', { 'Recovery code': other });
        if (onTheWay.status === 303) break;
      }
      expect(onTheWay.location).toBe('/oauth/device');
      return;
    }
    throw new Error('no code was right');
  });
});

describe('a passkey', () => {
  it('is the second step as well', async () => {
    const { owner, half } = await start();
    const passkey = await addPasskey(owner, 'Laptop');
    const visitor = await half();
    const options = optionsOf(visitor);
    const allowed = { id: passkey.id, type: 'public-key', transports: ['internal'] };
    expect(options.allowCredentials).toEqual([allowed]);
    const sent = passkey.get(options);
    expect((await visitor.press('Sign in with a passkey', { confirm_passkey: sent })).status).toBe(303);
    const again = await half();
    expect((await again.press('Sign in with a passkey', { confirm_passkey: sent })).status).toBe(422);
  });

  it('lets a person in without a password', async () => {
    const { app, owner, person, logged } = await start();
    const passkey = await addPasskey(owner, 'Laptop');
    const visitor = await new Visitor(app).open('/login?return_to=%2Fdashboard%2Fkeys');
    expect(visitor.document.querySelector('#email')?.getAttribute('autocomplete')).toBe('username webauthn');
    const options = (await new Visitor(app).open('/login/passkey')).response.json();
    expect(options.allowCredentials).toBeUndefined();
    expect(options.userVerification).toBe('required');
    // A challenge for another browser.
    await visitor.press('Sign in with a passkey', { passkey: passkey.get(options) });
    expect(visitor.status).toBe(422);
    expect(logged.find((line) => line.includes('"reason":"passkey"'))).toContain(
      'belong to another host than that of publicUrl',
    );
    const own = (await visitor.copy().open('/login/passkey')).response.json();
    const sent = passkey.get(own);
    await visitor.press('Sign in with a passkey', { passkey: sent });
    expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/keys']);
    expect((await visitor.open('/login')).text).toContain(person.email);
  });
});

it('asks for no second step without a second factor', async () => {
  const { app } = await startStoredService(db);
  const visitor = await new Visitor(app).signIn(await makePerson(db), PASSWORD);
  expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/']);
});
