/** The page of security, and what asks for a second factor, over HTTP. */
import { describe, expect, it } from 'vitest';
import { findSetUp } from '../../../src/service/people/factors/authenticator-app-store.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import {
  addPasskey,
  codeOf,
  codesOn,
  forgetConfirmations,
  nextCode,
  optionsOf,
  setUpApp,
} from '../support/factors.ts';
import { type StoredServiceOptions, startStoredService } from '../support/stored-service.ts';
import { arrive, makeMember, makePerson, PASSWORD, Visitor } from '../support/visitor.ts';

const { db, run } = await testDatabase();
emptyBeforeEach(db, 'guesses');

const PAGE = '/dashboard/security';
const CODE = 'Code from your authenticator app';

async function start(options: StoredServiceOptions = {}) {
  const { app } = await startStoredService(db, options);
  const { person, visitor } = await arrive({ app }, db);
  return { app, person, visitor };
}

describe('the set-up of an authenticator app', () => {
  it('shows a key and a QR code, takes one code, and shows ten recovery codes once', async () => {
    const { visitor, person } = await start();
    await visitor.open(`${PAGE}/totp`);
    const key = visitor.document.querySelector('#totp-secret')!.textContent;
    const app = (await findSetUp(db, person.personId))!;
    expect(key).toBe(app.secret);
    expect(visitor.document.querySelector('svg[role="img"]')?.getAttribute('aria-label')).toContain(
      'QR code',
    );
    const field = visitor.document.querySelector('input[autocomplete="one-time-code"]')!;
    expect(field.getAttribute('inputmode')).toBe('numeric');
    await visitor.press('Confirm', { 'Code that the app shows': '000000' });
    expect([visitor.status, visitor.document.querySelector('#totp-secret')!.textContent]).toEqual([422, key]);
    await visitor.press('Confirm', { 'Code that the app shows': codeOf(app.secret, app.seconds) });
    expect(visitor.status).toBe(200);
    const codes = codesOn(visitor);
    expect(codes).toHaveLength(10);
    expect((await visitor.open(PAGE)).text).toContain('10 codes are left.');
    for (const code of codes) expect(visitor.response.body).not.toContain(code);
  });

  it('keeps the key out of the log of the account', async () => {
    const { visitor, person } = await start();
    await setUpApp(db, visitor, person.personId);
    const rows = await db.selectFrom('audit').selectAll().where('account_id', '=', person.id).execute();
    expect(rows.map(({ action, details }) => [action, details])).toContainEqual(['person.app-add', {}]);
  });
});

describe('passkeys', () => {
  it('are listed with their names, renamed and removed', async () => {
    const { visitor } = await start();
    await addPasskey(visitor, ' <b>Lap\u0000top</b> ');
    expect(codesOn(visitor)).toHaveLength(10);
    expect((await visitor.open(PAGE)).text).toContain('<b>Laptop</b>');
    await addPasskey(visitor, 'Phone');
    expect(codesOn(visitor)).toEqual([]);
    expect((await visitor.follow()).text).toContain('The passkey was added.');
    await visitor.press('Rename', { name: 'Old laptop' });
    expect((await visitor.follow()).text).toContain('Old laptop');
    await (await visitor.press('Remove the passkey Old laptop')).follow();
    expect(visitor.text).toContain('The passkey was removed.');
    expect(visitor.has('Remove the passkey Old laptop')).toBe(false);
  });

  it('need a name', async () => {
    const { visitor } = await start();
    await visitor.open(PAGE);
    for (const name of ['', ' \u0007 ', 'x'.repeat(61)]) {
      await visitor.press('Add a passkey', { 'Name of the new passkey': name, passkey: '{}' });
      expect(visitor.status).toBe(422);
      expect(visitor.text).toContain('Give the passkey a name of 1 to 60 characters.');
    }
  });

  it('need scripts, as the page says', async () => {
    const { visitor } = await start();
    await visitor.open(PAGE);
    const note = visitor.document.querySelector('form[data-passkey] noscript')!;
    expect(note.textContent).toContain('Passkeys need JavaScript');
    await visitor.press('Add a passkey', { passkey: null });
    expect(visitor.status).toBe(422);
    expect(visitor.text).toContain('Passkeys need JavaScript. Turn it on');
    await visitor.open('/login?other=account');
    expect(visitor.document.querySelector('form[data-passkey] noscript')).not.toBeNull();
  });

  it('are not offered without a host name', async () => {
    const { visitor } = await start({ publicUrl: 'https://192.0.2.1' });
    const said = 'You cannot add a passkey on this server at the moment. Ask the operator for it.';
    expect((await visitor.open(PAGE)).text).toContain(said);
    expect(visitor.has('Add a passkey')).toBe(false);
    expect((await visitor.open('/login?other=account')).has('Sign in with a passkey')).toBe(false);
    expect((await visitor.open('/login/passkey')).status).toBe(404);
  });

  it('of others are not found', async () => {
    const [one, other] = [await start(), await start()];
    const { id } = await addPasskey(one.visitor, 'Laptop');
    await other.visitor.open(PAGE);
    const { sent } = other.visitor.formOf('Add a passkey');
    for (const action of ['rename', 'remove']) {
      await other.visitor.post(`${PAGE}/passkeys/${action}`, { ...sent, id, name: 'mine' });
      expect(other.visitor.status, action).toBe(404);
    }
  });
});

it('makes recovery codes anew, which ends the old ones', async () => {
  const { visitor, person } = await start();
  const before = await setUpApp(db, visitor, person.personId);
  await visitor.open(PAGE);
  await visitor.press('Make new recovery codes');
  const after = codesOn(visitor);
  expect(after).toHaveLength(10);
  expect(after.filter((code) => before.includes(code))).toEqual([]);
  await run`delete from recovery_codes where digest not in (
      select digest from recovery_codes where person_id = ${person.personId} limit 3)`;
  expect((await visitor.open(PAGE)).text).toContain('3 codes are left. Make new ones now.');
});

/** Each action of the page, and what it needs. */
const GUARDED = [
  ['totp', 'Confirm'],
  ['totp/remove', 'Remove the app'],
  ['passkeys', 'Add a passkey'],
  ['passkeys/rename', 'Rename'],
  ['passkeys/remove', 'Remove the passkey Laptop'],
  ['recovery-codes', 'Make new recovery codes'],
] as const;

describe('some time after the sign-in', () => {
  it.each(GUARDED)('%s asks for the second factor, and changes nothing without', async (path) => {
    const { visitor, person } = await start();
    await setUpApp(db, visitor, person.personId);
    const { id } = await addPasskey(visitor, 'Laptop');
    const { form_token } = (await visitor.open(PAGE)).formOf('Make new recovery codes').sent;
    const read = () => run`
      select (select count(*) from authenticator_apps where person_id = ${person.personId}),
        (select array_agg(name) from passkeys where person_id = ${person.personId}),
        (select max(digest) from recovery_codes where person_id = ${person.personId})
    `;
    const before = await read();
    await forgetConfirmations(db);
    await visitor.post(`${PAGE}/${path}`, { form_token: form_token!, id, name: 'x', code: '123456' });
    expect([visitor.status, visitor.text.includes('Confirm that it is you')]).toEqual([403, true]);
    for (const button of ['Continue', 'Use a passkey', 'Use a recovery code'])
      expect(visitor.has(button), button).toBe(true);
    expect((await read()).rows).toEqual(before.rows);
  });

  it('takes a code, a passkey or a recovery code, and no password', async () => {
    const { visitor, person } = await start();
    const codes = await setUpApp(db, visitor, person.personId);
    const passkey = await addPasskey(visitor, 'Laptop');
    const make = async () => {
      await forgetConfirmations(db);
      await visitor.open(PAGE);
      expect((await visitor.press('Make new recovery codes')).status).toBe(403);
    };
    await make();
    await visitor.press('Continue', { [CODE]: '000000' });
    expect([visitor.status, visitor.text.includes('The code is wrong')]).toEqual([422, true]);
    await visitor.press('Continue', { confirm_code: null, confirm_password: PASSWORD });
    expect([visitor.status, codesOn(visitor)]).toEqual([403, []]);
    await visitor.press('Use a recovery code', { 'Recovery code': codes[0]! });
    expect(codesOn(visitor)).toHaveLength(10);
    await make();
    await visitor.press('Use a passkey', { confirm_passkey: passkey.get(optionsOf(visitor)) });
    expect(codesOn(visitor)).toHaveLength(10);
    await make();
    await visitor.press('Continue', { [CODE]: await nextCode(db, person.personId) });
    expect(codesOn(visitor)).toHaveLength(10);
    await visitor.open(PAGE);
    expect((await visitor.press('Make new recovery codes')).status).toBe(200);
  });

  it('counts wrong codes with those of the sign-in', async () => {
    const { visitor, person } = await start();
    await setUpApp(db, visitor, person.personId);
    await forgetConfirmations(db);
    await visitor.open(`${PAGE}/totp`);
    for (let count = 0; count < 10; count += 1) await visitor.press('Continue', { [CODE]: '000000' });
    expect(visitor.status).toBe(422);
    await visitor.press('Continue', { [CODE]: await nextCode(db, person.personId) });
    expect([visitor.status, Number(visitor.response.headers['retry-after']) > 0]).toEqual([429, true]);
  });

  it('shows the form again, filled in', async () => {
    const { visitor, person } = await start();
    await setUpApp(db, visitor, person.personId);
    await visitor.open('/dashboard/keys/new');
    await forgetConfirmations(db);
    await visitor.press('Create key', { Name: 'Shop', kind: 'private', mode: 'test' });
    expect(visitor.status).toBe(403);
    await visitor.press('Continue', { [CODE]: await nextCode(db, person.personId) });
    expect([visitor.status, visitor.valueOf('Name')]).toEqual([200, 'Shop']);
  });

  it('keeps the name of a new passkey, and then lets the browser make it', async () => {
    const { visitor, person } = await start();
    await setUpApp(db, visitor, person.personId);
    await forgetConfirmations(db);
    await visitor.open(PAGE);
    expect(optionsOf(visitor, 'create')).toBeNull();
    await visitor.press('Add a passkey', { 'Name of the new passkey': 'Laptop', passkey: null });
    await visitor.press('Continue', { [CODE]: await nextCode(db, person.personId) });
    expect(visitor.valueOf('Name of the new passkey')).toBe('Laptop');
    expect(optionsOf(visitor, 'create')).toHaveProperty('challenge');
  });

  it.each([
    ['/dashboard/audit', '?what=keys'],
    ['/dashboard/usage', '?why=refund'],
  ])('guards the download of %s, and leads back to it', async (page, query) => {
    const { visitor, person } = await start();
    await setUpApp(db, visitor, person.personId);
    expect((await visitor.open(`${page}.csv${query}`)).response.headers['content-type']).toMatch(
      /^text\/csv/,
    );
    await forgetConfirmations(db);
    await visitor.open(`${page}.csv${query}`);
    expect(visitor.response.headers['content-type']).toMatch(/^text\/html/);
    await visitor.press('Continue', { [CODE]: await nextCode(db, person.personId) });
    expect(visitor.location).toBe(`${page}${query}&done=confirmed#said`);
  });

  it('guards the erasing of an address', async () => {
    const { visitor, person } = await start();
    await setUpApp(db, visitor, person.personId);
    const { form_token } = (await visitor.open(PAGE)).formOf('Make new recovery codes').sent;
    const form = { form_token: form_token!, address: 'ada@example.com' };
    await forgetConfirmations(db);
    expect((await visitor.post('/dashboard/settings/address/erase', form)).status).toBe(403);
    await visitor.press('Continue', { [CODE]: await nextCode(db, person.personId) });
    expect(visitor.location).toBe('/dashboard/settings/address?done=0-0-0-0-0');
  });

  it('guards the change of the password, without keeping one on the page', async () => {
    const { visitor, person } = await start();
    await setUpApp(db, visitor, person.personId);
    await visitor.open(PAGE);
    await forgetConfirmations(db);
    const fields = { 'Current password': PASSWORD, 'New password': 'several quiet horses' };
    await visitor.press('Change password', fields);
    expect(visitor.status).toBe(403);
    expect(visitor.response.body).not.toMatch(/correct horse|several quiet/);
    await (await visitor.press('Continue', { [CODE]: await nextCode(db, person.personId) })).follow();
    expect((await visitor.press('Change password', fields)).location).toContain('done=password');
  });
});

describe('where the operator requires a second factor', () => {
  it('leads a person without one to the page, and lets the person do nothing else', async () => {
    const { visitor, person, app } = await start({ signIn: { secondFactor: 'required' } });
    for (const path of ['/dashboard/', '/dashboard/keys/new', '/dashboard/audit.csv', '/oauth/device']) {
      await visitor.open(path);
      expect([visitor.status, visitor.location], path).toEqual([303, PAGE]);
    }
    expect((await visitor.open(PAGE)).text).toContain('This service requires a second factor.');
    const { form_token } = visitor.formOf('Add a passkey').sent;
    await visitor.post('/dashboard/keys/new', { form_token: form_token! });
    expect([visitor.status, visitor.text.includes('You need a second factor')]).toEqual([403, true]);
    await setUpApp(db, visitor, person.personId);
    expect((await visitor.open('/dashboard/')).status).toBe(200);
    expect((await visitor.open(PAGE)).text).not.toContain('This service requires');
    await visitor.press('Remove the app');
    expect([visitor.status, visitor.text.includes('this is your only one')]).toEqual([409, true]);
    const other = await new Visitor(app).signIn(await makePerson(db));
    await other.open(PAGE);
    expect((await other.press('Sign out')).location).toBe('/login');
  });

  it('of owners and admins, others go on without', async () => {
    const { app, person } = await start({ signIn: { secondFactor: 'required-for-admins' } });
    const seen = async (role: 'admin' | 'member') => {
      const visitor = await new Visitor(app).signIn(await makeMember(db, person.id, role));
      return (await visitor.open('/dashboard/')).status;
    };
    expect([await seen('admin'), await seen('member')]).toEqual([303, 200]);
  });
});

it('shows the page to a person without an account', async () => {
  const { app } = await start();
  const visitor = await new Visitor(app).signIn(await makeMember(db, undefined, 'viewer'));
  expect((await visitor.open(PAGE)).status).toBe(200);
  await addPasskey(visitor, 'Laptop');
  expect(codesOn(visitor)).toHaveLength(10);
});
