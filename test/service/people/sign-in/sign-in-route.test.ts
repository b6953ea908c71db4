/** `/login` over HTTP, with accounts in a real database. */

import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deletePerson, setPersonPassword } from '../../../../src/service/people/persons/person-store.ts';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { recogniseBrowser } from '../../../../src/service/people/sign-in/known-browser.ts';
import { sha256 } from '../../../../src/shared/sha256.ts';
import { withResolvers } from '../../../with-resolvers.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { emptyBeforeEach, testDatabase } from '../../support/database.ts';
import { type StoredServiceOptions, startStoredService } from '../../support/stored-service.ts';
import { isSignedIn, makePerson, PASSWORD, Visitor } from '../../support/visitor.ts';

const database = await testDatabase();
const { db, run } = database;
emptyBeforeEach(db, 'guesses');

const start = async (options: StoredServiceOptions = {}) => {
  const service = await startStoredService(db, options);
  const visitor = (ip?: string) => new Visitor(service.app, ip === undefined ? {} : { ip });
  return { ...service, visitor, person: await makePerson(db) };
};

const WRONG = 'The email address or the password is wrong.';

describe('signing in', () => {
  it('leads to the own pages, and is remembered by every process', async () => {
    const one = await start();
    const other = await startStoredService(database.connect());
    const person = await makePerson(db);
    const visitor = await one.visitor().signIn(person);
    expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/']);
    expect((await visitor.copy(other.app).open('/login')).text).toContain(
      `You are signed in as ${person.email}.`,
    );
  });

  it('takes the email address in any case, and with spaces around it', async () => {
    const visitor = (await start()).visitor();
    const { email } = await makePerson(db);
    expect((await visitor.signIn({ email: ` ${email.toUpperCase()} ` })).status).toBe(303);
  });

  it('returns to the page that asked for it, with its parameters, and to no other site', async () => {
    const { visitor, person } = await start();
    const path = '/oauth/device?user_code=BCDF-GHJK&x=%2F';
    const returning = await visitor().open(`/login?return_to=${encodeURIComponent(path)}`);
    expect((await returning.signIn(person)).location).toBe(path);
    for (const address of ['//evil.example', '/\t/evil.example']) {
      const led = await visitor().open(`/login?return_to=${encodeURIComponent(address)}`);
      expect((await led.signIn(person)).location, address).toBe('/dashboard/');
      const forged = await visitor().open('/login');
      await forged.press('Sign in', { Email: person.email, Password: PASSWORD, return_to: address });
      expect(forged.location, address).toBe('/dashboard/');
    }
  });

  it('leads a person who is signed in straight to the page, and shows where else to go', async () => {
    const { visitor } = await start();
    const signedIn = await visitor().signIn(await makePerson(db));
    await signedIn.open('/login?return_to=%2Foauth%2Fdevice');
    expect([signedIn.status, signedIn.location]).toEqual([303, '/oauth/device']);
    await signedIn.open('/login');
    expect(signedIn.has('Sign out')).toBe(true);
    expect(signedIn.has('Sign in')).toBe(false);
  });

  it('can change to another account', async () => {
    const { visitor } = await start();
    const [one, other] = [await makePerson(db), await makePerson(db)];
    const signedIn = await visitor().signIn(one);
    await signedIn.open('/login?other=account&return_to=%2Foauth%2Fdevice');
    expect(signedIn.text).toContain(`You are signed in as ${one.email}. Sign in with the account`);
    await signedIn.press('Sign in', { Email: other.email, Password: PASSWORD });
    expect(signedIn.location).toBe('/oauth/device');
    expect((await signedIn.open('/login')).text).toContain(other.email);
    expect(await db.selectFrom('sessions').select('id').where('account_id', '=', one.id).execute()).toEqual(
      [],
    );
  });

  it('puts the pages below the path of publicUrl', async () => {
    const { visitor } = await start({ publicUrl: 'http://proxy.example/verify' });
    const shown = await visitor().open('/login?return_to=%2Foauth%2Fdevice');
    expect(shown.formOf('Sign in').action).toBe('/verify/login');
    expect(shown.document.querySelector('link')!.getAttribute('href')).toMatch(/^\/verify\/house-/);
    const { sent } = shown.formOf('Sign in');
    const { email } = await makePerson(db);
    // The proxy takes the path away.
    await shown.post('/login', { ...sent, email, password: PASSWORD });
    expect(shown.location).toBe('/verify/oauth/device');
  });
});

describe('a sign-in that fails', () => {
  it('has the same response for an unknown account as for a wrong password', async () => {
    const { visitor, person } = await start();
    const wrong = await visitor().signIn(person, 'not the password');
    const unknown = await visitor().signIn({ email: `x${person.email}` }, 'not the password');
    expect([wrong.status, unknown.status]).toEqual([422, 422]);
    expect(wrong.text).toContain(WRONG);
    const plain = ({ response: { body } }: Visitor, email: string) =>
      body.replace(email, 'EMAIL').replace(/value="[\w-]{43}"/g, 'TOKEN');
    expect(plain(unknown, `x${person.email}`)).toBe(plain(wrong, person.email));
  });

  it('keeps the email address and where to return, and not the password', async () => {
    const visitor = (await start()).visitor();
    await visitor.open('/login?return_to=%2Foauth%2Fdevice');
    await visitor.press('Sign in', { Email: '"Ada" <ada@example.com>', Password: 'not the password' });
    expect(visitor.valueOf('Email')).toBe('"Ada" <ada@example.com>');
    expect(visitor.valueOf('Password')).toBe('');
    expect(visitor.response.body).not.toContain('not the password');
    expect(visitor.formOf('Sign in').sent.return_to).toBe('/oauth/device');
  });

  it('leaves nobody signed in', async () => {
    const visitor = (await start()).visitor();
    await visitor.signIn(await makePerson(db), 'not the password');
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it.each([
    ['without an address and a password', { Email: null, Password: null }],
    ['with empty ones', { Email: '', Password: '' }],
    ['with an address that no database can hold', { Email: 'a\0b@example.com', Password: 'x' }],
    ['with a very long password', { Email: 'a@example.com', Password: 'x'.repeat(50_000) }],
  ])('%s says the same', async (_, fields) => {
    const visitor = await (await start()).visitor().open('/login');
    await visitor.press('Sign in', fields);
    expect([visitor.status, visitor.text.includes(WRONG)]).toEqual([422, true]);
  });

  /** Changes the password, and commits when the test says so. Sign-ins of the account wait for that. */
  async function beginChange(id: string) {
    const { promise: held, resolve: commit } = withResolvers();
    const { promise: changed, resolve: hasChanged } = withResolvers();
    const done = db.transaction().execute(async (transaction) => {
      await setPersonPassword(transaction, id, 'scrypt$1$1$1$AA==$AA==');
      hasChanged();
      await held;
    });
    // A test that fails does not leave the transaction open.
    onTestFinished(() => commit());
    await changed;
    return { commit, done };
  }

  it('is a 422 when the password is changed during the check', async () => {
    const { visitor, person } = await start();
    const change = await beginChange(person.personId);
    const signingIn = visitor().signIn(person);
    await untilBlocked(db);
    change.commit();
    await change.done;
    expect((await signingIn).status).toBe(422);
  });

  it('is a 503 when too many people sign in at once, who are asked to try again', async () => {
    const { visitor, person } = await start();
    const visitors = await Promise.all(Array.from({ length: 53 }, () => visitor().open('/login')));
    let signingIn: Promise<Visitor>[] = [];
    await db.transaction().execute(async (transaction) => {
      // No check ends meanwhile, because each counts a guess.
      await sql`lock table guesses`.execute(transaction);
      signingIn = visitors.map((one) => one.signIn(person));
      const refused = await Promise.race(signingIn);
      expect([refused.status, refused.response.headers['retry-after']]).toEqual([503, '2']);
      expect(refused.text).toContain('Many people are signing in. Try again in a moment.');
    });
    await Promise.all(signingIn);
  });
});

describe('guessing passwords', () => {
  const guess = async (visitor: Visitor, email: string, times: number) => {
    const statuses: number[] = [];
    for (let count = 0; count < times; count += 1)
      statuses.push((await visitor.signIn({ email }, 'not the password')).status);
    return statuses;
  };

  it('is held up after ten tries at an account from one IP address, and the right one is refused there only', async () => {
    const { visitor, person } = await start();
    expect(await guess(visitor(), person.email, 1)).toEqual([422]);
    await run`update guesses set wrong = 8`;
    expect(await guess(visitor(), person.email, 3)).toEqual([422, 422, 429]);
    const right = await visitor().signIn(person);
    expect(right.status).toBe(429);
    expect(Number(right.response.headers['retry-after'])).toBeGreaterThan(0);
    expect(right.text).toMatch(/There were too many tries\. Wait \d seconds?, then try again\./);
    expect(await isSignedIn(right)).toBe(false);
    expect((await visitor('203.0.113.9').signIn(person)).status).toBe(303);
  });

  it('does not hold up another account, and the owner gets in after the pause', async () => {
    const { visitor } = await start();
    const [person, other] = [await makePerson(db), await makePerson(db)];
    await guess(visitor(), person.email, 1);
    await run`update guesses set wrong = 9`;
    expect(await guess(visitor(), person.email, 2)).toEqual([422, 429]);
    expect((await visitor('203.0.113.9').signIn(other)).status).toBe(303);
    await run`update guesses set paused_until = clock_timestamp()`;
    expect((await visitor().signIn(person)).status).toBe(303);
  });

  it('is held up the same way for an account that does not exist', async () => {
    const { visitor } = await start();
    expect(await guess(visitor(), 'nobody@example.com', 1)).toEqual([422]);
    await run`update guesses set wrong = 8`;
    expect(await guess(visitor(), 'nobody@example.com', 3)).toEqual([422, 422, 429]);
  });

  it('begins anew after a right sign-in', async () => {
    const { visitor, person } = await start();
    await guess(visitor(), person.email, 1);
    await run`update guesses set wrong = 9`;
    expect((await visitor().signIn(person)).status).toBe(303);
    expect(await guess(visitor(), person.email, 2)).toEqual([422, 422]);
  });

  it('at many accounts is held up by IP address, of IPv6 by network', async () => {
    const { visitor } = await start();
    // Hashing 50 times takes seconds, so what the first 49 leave behind is stored here.
    await guess(visitor('2001:db8::1'), 'one@example.com', 1);
    await run`update guesses set wrong = 49 where wrong = 1`;
    expect(await guess(visitor('2001:db8::2'), 'two@example.com', 1)).toEqual([422]);
    const person = await makePerson(db);
    expect((await visitor('2001:db8::3').signIn(person)).status).toBe(429);
    expect((await visitor('2001:db8:0:1::1').signIn(person)).status).toBe(303);
  });

  it('costs an attacker with an own account no less', async () => {
    const { visitor } = await start();
    const own = await makePerson(db);
    for (let count = 0; count < 3; count += 1) {
      await guess(visitor(), `victim${count}@example.com`, 1);
      await visitor().signIn(own);
    }
    const wrong = await db.selectFrom('guesses').select('wrong').orderBy('wrong', 'desc').execute();
    expect(wrong[0]).toEqual({ wrong: 3 });
  });

  it('takes IP addresses from the proxy only where it is trusted', async () => {
    const { visitor } = await start({ trustProxy: true });
    const from = (ip: string) => ({ headers: { 'x-forwarded-for': ip } });
    await visitor().signIn({ email: 'a@example.com' }, 'x', from('192.0.2.1'));
    await run`update guesses set wrong = 50, paused_until = clock_timestamp() + interval '1 minute'`;
    expect((await visitor().signIn({ email: 'b@example.com' }, 'x', from('192.0.2.1'))).status).toBe(429);
    expect((await visitor().signIn({ email: 'b@example.com' }, 'x', from('192.0.2.2'))).status).toBe(422);
  });

  it('does not hold up a browser in which the owner has signed in before, which has a count of its own', async () => {
    const { visitor, person } = await start();
    const owner = await visitor('203.0.113.9').signIn(person);
    expect(owner.response.cookies).toContainEqual(
      expect.objectContaining({ name: 'known-browser', httpOnly: true, sameSite: 'Lax', maxAge: 31_536_000 }),
    );
    await (await owner.open('/login')).press('Sign out');
    await guess(visitor(), person.email, 1);
    await run`update guesses set wrong = 9`;
    expect(await guess(visitor(), person.email, 2)).toEqual([422, 429]);
    const browserToken = owner.cookies.get('known-browser')!;
    expect((await owner.open('/login').then((at) => at.signIn(person))).status).toBe(303);
    expect(owner.cookies.get('known-browser')).toBe(browserToken);
    // Who has stolen the token gets no more guesses with it than without.
    const thief = visitor('203.0.113.9');
    thief.cookies.set('known-browser', browserToken);
    expect(await guess(thief, person.email, 11)).toEqual([...Array(10).fill(422), 429]);
  });

  it('is not helped by the token of another account, a made-up one, or one from before a new password', async () => {
    const { visitor } = await start();
    const [person, other] = [await makePerson(db), await makePerson(db)];
    const browserToken = (await visitor().signIn(person)).cookies.get('known-browser')!;
    await guess(visitor(), other.email, 1);
    await run`update guesses set wrong = 10, paused_until = clock_timestamp() + interval '1 minute'`;
    for (const planted of [browserToken, makeValue(), `${'a'.repeat(22)}.${'b'.repeat(43)}`, 'x']) {
      const browser = visitor();
      browser.cookies.set('known-browser', planted);
      expect((await browser.signIn(other)).status).toBe(429);
    }
    expect(await recogniseBrowser(db, person.personId, browserToken)).toBeDefined();
    await setPersonPassword(db, person.personId, 'another hash');
    expect(await recogniseBrowser(db, person.personId, browserToken)).toBeUndefined();
  });

  it('does not hold up many right sign-ins at once', async () => {
    const { visitor, person } = await start();
    const visitors = await Promise.all(Array.from({ length: 12 }, () => visitor().open('/login')));
    const signedIn = await Promise.all(visitors.map((one) => one.signIn(person)));
    expect(signedIn.map(({ status }) => status)).toEqual(Array(12).fill(303));
    expect(await db.selectFrom('guesses').selectAll().execute()).toEqual([]);
  });
});

describe('the cookie', () => {
  const cookieOf = (visitor: Visitor) => String(visitor.response.headers['set-cookie']);

  it('is out of reach of scripts and of the forms of other sites, and goes with the browser', async () => {
    const visitor = await (await start()).visitor().open('/login');
    expect(cookieOf(visitor)).toMatch(/^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it.each([
    ['by publicUrl', { publicUrl: 'https://verify.example' }, {}],
    ['by the word of a trusted proxy', { trustProxy: true }, { 'x-forwarded-proto': 'https' }],
  ])(
    'belongs to TLS and to this host alone where pages are reached over TLS, %s',
    async (_, options, headers) => {
      const visitor = await (await start(options)).visitor().open('/login', { headers });
      const pattern = /^__Host-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/;
      expect(cookieOf(visitor)).toMatch(pattern);
      expect((await visitor.signIn(await makePerson(db), PASSWORD, { headers })).status).toBe(303);
    },
  );

  it('is another one after the sign-in, and one from before is signed in by nothing', async () => {
    const { visitor } = await start();
    const planted = makeValue();
    const victim = visitor();
    victim.cookies.set('session', planted);
    await victim.signIn(await makePerson(db));
    expect(victim.cookies.get('session')).not.toBe(planted);
    expect(await isSignedIn(victim)).toBe(true);
    const attacker = visitor();
    attacker.cookies.set('session', planted);
    expect(await isSignedIn(attacker)).toBe(false);
  });

  it('is replaced if it is not one of ours', async () => {
    const visitor = (await start()).visitor();
    visitor.cookies.set('session', 'x');
    expect((await visitor.signIn(await makePerson(db))).status).toBe(303);
  });

  it('stays the same for a second tab, so that both forms work', async () => {
    const { visitor, person } = await start();
    const browser = await visitor().open('/login');
    const first = browser.formOf('Sign in');
    await browser.open('/login');
    await browser.post(first.action, { ...first.sent, email: person.email, password: PASSWORD });
    expect(browser.status).toBe(303);
  });
});

describe('a session', () => {
  it('ends by signing out, in every tab', async () => {
    const { visitor } = await start();
    const browser = await visitor().signIn(await makePerson(db));
    await browser.open('/dashboard/apps');
    const before = browser.cookies.get('session');
    await browser.press('Sign out');
    expect([browser.status, browser.location]).toEqual([303, '/login']);
    expect(browser.cookies.get('session')).not.toBe(before);
    browser.cookies.set('session', before!);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('ends when the password is changed, and with the person', async () => {
    const { visitor } = await start();
    const [changed, deleted] = [await makePerson(db), await makePerson(db)];
    const browsers = [await visitor().signIn(changed), await visitor().signIn(deleted)];
    await setPersonPassword(db, changed.personId, 'another hash');
    await deletePerson(db, deleted.personId);
    for (const browser of browsers) expect(await isSignedIn(browser)).toBe(false);
  });

  it('ends after the time that the operator has set', async () => {
    const { visitor } = await start({ durations: { session: 1 } });
    const browser = await visitor().signIn(await makePerson(db));
    await expect.poll(() => isSignedIn(browser)).toBe(false);
  });
});

describe('a form of another site', () => {
  it.each([
    ['from a foreign origin', { origin: 'https://evil.example' }],
    ['from another port of this host', { origin: 'http://localhost:81' }],
    ['from a file', { origin: 'file://localhost:80' }],
    ['from a foreign site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling host', { 'sec-fetch-site': 'same-site', origin: 'null' }],
  ])('%s is refused, although it has the right token', async (_, headers) => {
    const { visitor } = await start();
    const browser = await visitor().signIn(await makePerson(db), PASSWORD, { headers });
    expect(browser.status).toBe(403);
    expect(browser.text).toContain('This form was sent by another site');
    expect(await isSignedIn(browser)).toBe(false);
    const signedIn = await visitor().signIn(await makePerson(db));
    await signedIn.open('/login');
    expect((await signedIn.press('Sign out', {}, { headers })).status).toBe(403);
    expect(await isSignedIn(signedIn)).toBe(true);
  });

  it.each([
    ['its own origin', { origin: 'http://localhost:80' }],
    ['its own origin, as the browser says', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['a reload', { 'sec-fetch-site': 'none' }],
    ['nothing', {}],
  ])('is told from one of ours by %s', async (_, headers) => {
    const browser = await (await start()).visitor().open('/login');
    expect((await browser.signIn(await makePerson(db), PASSWORD, { headers })).status).toBe(303);
  });

  it('is told by publicUrl where a proxy does not pass the host on', async () => {
    const { visitor } = await start({ publicUrl: 'http://verify.example' });
    const from = (origin: string) => ({ headers: { origin } });
    const person = await makePerson(db);
    expect((await visitor().signIn(person, PASSWORD, from('http://verify.example'))).status).toBe(303);
    expect((await visitor().signIn(person, PASSWORD, from('http://evil.example'))).status).toBe(403);
  });

  it('without its token, or with that of another browser, changes nothing, and the form comes again', async () => {
    const { visitor, person } = await start();
    const stranger = await visitor().open('/login');
    const token = stranger.formOf('Sign in').sent.form_token!;
    for (const form_token of [null, '', token, 'x']) {
      const browser = await visitor().open('/login?return_to=%2Foauth%2Fdevice');
      await browser.press('Sign in', { Email: person.email, Password: PASSWORD, form_token });
      expect(browser.status).toBe(403);
      expect(browser.valueOf('Email')).toBe(person.email);
      // The same person, without having to type the address again.
      expect((await browser.press('Sign in', { Password: PASSWORD })).location).toBe('/oauth/device');
    }
  });

  it('without a cookie gets no new one, which would take the place of the session', async () => {
    const { visitor } = await start();
    const { sent } = (await visitor().open('/login')).formOf('Sign in');
    for (const headers of [{}, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
      const browser = await visitor().post('/login', sent, { headers });
      expect([browser.status, browser.response.headers['set-cookie']]).toEqual([403, undefined]);
    }
    expect((await visitor().post('/login', sent)).text).toContain('Your browser sent no cookie');
    // From a page of this service it is a person whose cookie has gone.
    const own = await visitor().post('/login', sent, { headers: { 'sec-fetch-site': 'same-origin' } });
    expect([own.status, own.has('Sign in'), own.cookies.size]).toEqual([403, true, 1]);
  });

  it('cannot sign a person out', async () => {
    const { visitor } = await start();
    const browser = await visitor().signIn(await makePerson(db));
    expect((await browser.post('/logout', {})).status).toBe(403);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('that is sent after a sign-in in another tab leads on', async () => {
    const { visitor, person } = await start();
    const browser = await visitor().open('/login?return_to=%2Foauth%2Fdevice');
    const old = browser.formOf('Sign in');
    await browser.signIn(person);
    await browser.post(old.action, { ...old.sent, email: person.email, password: PASSWORD });
    expect(browser.status).toBe(403);
    expect(browser.links('main a')).toEqual(['/oauth/device']);
  });

  it('is refused as JSON, as multipart, and with a field twice', async () => {
    const { app, visitor } = await start();
    const { cookies } = await visitor().open('/login');
    const cookie = `session=${cookies.get('session')}`;
    const send = async (payload: string, type: string) =>
      (
        await app.inject({
          method: 'POST',
          url: '/login',
          payload,
          headers: { cookie, 'content-type': type },
        })
      ).statusCode;
    expect(await send('{"email":"a"}', 'application/json')).toBe(415);
    expect(await send('--x--', 'multipart/form-data; boundary=x')).toBe(415);
    expect(await send('email=a&email=b', 'application/x-www-form-urlencoded')).toBe(400);
    expect(await send('email=%ff', 'application/x-www-form-urlencoded')).toBe(400);
  });
});

describe('every page', () => {
  it('is kept by no cache, framed by nobody, tells no referrer, and runs only scripts of the service', async () => {
    const { visitor } = await start();
    const browser = await visitor().open('/login');
    const first = browser.response;
    await browser.signIn(await makePerson(db));
    for (const { headers } of [first, browser.response]) {
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'unsafe-none',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none';base-uri 'none';form-action 'self';frame-ancestors 'none';img-src 'self';style-src 'self'(;connect-src 'self';script-src 'self')?$/,
        ),
      });
    }
    expect(first.body).not.toMatch(/<script(?! src="\/)|<style| style=| on\w+=/);
  });

  it('names its icon, so that no browser looks for another', async () => {
    const { app, visitor } = await start();
    const { document } = await visitor().open('/login');
    const url = document.querySelector('link[rel=icon]')!.getAttribute('href')!;
    const { statusCode, headers } = await app.inject({ url });
    expect([statusCode, headers['content-type']]).toEqual([200, 'image/svg+xml; charset=utf-8']);
  });

  it('has a style sheet that browsers may keep', async () => {
    const { app, visitor } = await start();
    const url = (await visitor().open('/login')).document.querySelector('link')!.getAttribute('href')!;
    const plain = await app.inject({ url });
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/css; charset=utf-8',
    });
    expect(plain.body).toContain('--ink');
    const packed = await app.inject({ url, headers: { 'accept-encoding': 'br' } });
    expect(packed.headers['content-encoding']).toBe('br');
  });

  it('says as a page that the database is away, or that something went wrong', async () => {
    const away = await (await start({ isReady: () => false })).visitor().open('/login');
    expect([away.status, away.response.headers['retry-after']]).toEqual([503, '2']);
    expect(away.document.querySelector('h1')!.textContent).toBe('Not available at the moment');
    expect(away.document.querySelector('main')!.textContent).toContain('Load the page again in a moment.');
    const { visitor, logged } = await start({ isOwn: true });
    const person = await makePerson(db);
    await db.updateTable('accounts').set({ password_hash: 'x' }).where('id', '=', person.id).execute();
    const broken = await visitor().signIn(person);
    expect(broken.status).toBe(500);
    expect(broken.document.querySelector('h1')!.textContent).toBe('Something went wrong');
    const said = 'It is not certain whether what you sent took effect.';
    expect(broken.document.querySelector('main')!.textContent).toContain(said);
    expect(logged.join()).toContain('unexpected error');
  });
});

describe('what operators and people learn', () => {
  it('is in the log: the digests of person and network, and what to do against guesses', async () => {
    const { visitor, logged } = await start({ isOwn: true });
    const { email } = await makePerson(db);
    const refusals = () =>
      logged.map((line) => JSON.parse(line)).filter(([, event]) => event === 'sign-in refused');
    await visitor('203.0.113.9').signIn({ email: ` ${email.toUpperCase()}` }, 'not the password');
    await run`update guesses set wrong = 10, paused_until = clock_timestamp() + interval '1 minute'`;
    await visitor('203.0.113.9').signIn({ email });
    const [person, network] = [sha256(email).slice(0, 16), sha256('203.0.113.9').slice(0, 16)];
    expect(refusals()).toEqual([
      [
        'info',
        'sign-in refused',
        { reason: 'wrong', person, network, advice: expect.stringContaining('admin person password') },
      ],
      [
        'warn',
        'sign-in refused',
        {
          reason: 'paused',
          person,
          network,
          // A machine that stalls needs some of them.
          seconds: expect.closeTo(60, -1),
          advice: expect.stringContaining('block it at the reverse proxy'),
        },
      ],
    ]);
  });

  it('is in the log: who has signed in from where, and how', async () => {
    const { visitor, logged } = await start({ isOwn: true });
    const person = await makePerson(db);
    await visitor('203.0.113.9').signIn(person);
    expect(logged.map((line) => JSON.parse(line))).toContainEqual([
      ...['info', 'signed in'],
      {
        method: 'password',
        person: sha256(person.email).slice(0, 16),
        network: sha256('203.0.113.9').slice(0, 16),
      },
    ]);
  });

  it('is on the page: whom to ask about a lost password or second factor', async () => {
    const plain = await (await start()).visitor().open('/login');
    expect(plain.text).toContain('Lost your password? Ask the operator of this service for a new one.');
    const { visitor } = await start({ support: 'Write to <help@example.com>.' });
    const browser = await visitor().open('/login');
    expect(browser.text).toContain('Lost your password? Write to <help@example.com>.');
    expect(browser.text).toContain('Lost these, too? Write to <help@example.com>.');
    await browser.signIn({ email: 'nobody@example.com' }, 'x');
    expect(browser.text).toContain('Lost your password? Write to <help@example.com>.');
  });
});

it('writes no address, password, cookie or return address to the log', async () => {
  const { visitor, logged } = await start({ isOwn: true });
  const person = await makePerson(db);
  const browser = await visitor().open('/login?return_to=%2Foauth%2Fdevice%3Fuser_code%3DBCDF');
  await browser.signIn(person, 'not the password');
  await browser.signIn(person);
  await browser.open('/login');
  await run`update guesses set paused_until = clock_timestamp() + interval '1 minute'`;
  const text = logged.join('\n');
  expect(logged.length).toBeGreaterThan(3);
  for (const secret of [
    person.email,
    person.id,
    PASSWORD,
    'not the password',
    'BCDF',
    ...browser.cookies.values(),
  ])
    expect(text).not.toContain(secret);
});
