/** What the service accepts of passkeys, with an authenticator that also lies. */

import { describe, expect, it } from 'vitest';
import {
  findPasskey,
  listPasskeys,
  spendChallenge,
} from '../../../../src/service/people/factors/passkey-store.ts';
import {
  addPasskey,
  canHavePasskeys,
  checkPasskey,
  creationOptions,
  requestOptions,
} from '../../../../src/service/people/factors/passkeys.ts';
import { Authenticator } from '../../support/authenticator.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { makePerson } from '../../support/visitor.ts';

const database = await testDatabase();
const { db, run } = database;
const deps = { ...DEPS, db };
const BROWSER = 'the value of a cookie';

async function someone() {
  const { personId: id, email } = await makePerson(db);
  return { id, email };
}

async function withPasskey(isVerified = true) {
  const person = await someone();
  const authenticator = new Authenticator({ isVerified });
  const text = authenticator.create(await creationOptions(deps, person, BROWSER), { isVerified: true });
  expect(await addPasskey(deps, person.id, { text, browser: BROWSER, name: 'Laptop' })).toBe('added');
  await makeOlder();
  return { person, authenticator };
}

/** Challenges are told apart by milliseconds, so the last one gets older. */
const makeOlder = () => run`update passkeys set challenged_at = challenged_at - interval '1 second'`;

const ask = (purpose: 'sign in' | 'confirm' = 'sign in', browser = BROWSER) =>
  requestOptions(deps, browser, purpose);

const check = (text: string, personId?: string, browser = BROWSER) =>
  checkPasskey(deps, { text, browser, purpose: 'sign in' }, personId);

describe('a passkey is added', () => {
  it('with its name, and asks the device for one that works without a password', async () => {
    const person = await someone();
    const options = await creationOptions(deps, person, BROWSER);
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(Buffer.from(options.user.id, 'base64url').toString()).toBe(person.id);
  });

  it.each([
    ['by a page of another origin', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['by a device that does not know who uses it', { isVerified: false }],
  ])('not %s', async (_, changes) => {
    const person = await someone();
    const text = new Authenticator().create(await creationOptions(deps, person, BROWSER), changes);
    expect(await addPasskey(deps, person.id, { text, browser: BROWSER, name: 'x' })).toBe('wrong');
  });

  it('not to another person, in another browser, or with a challenge of a sign-in', async () => {
    const [person, other] = [await someone(), await someone()];
    const options = await creationOptions(deps, person, BROWSER);
    const text = new Authenticator().create(options);
    expect(await addPasskey(deps, other.id, { text, browser: BROWSER, name: 'x' })).toBe('wrong');
    expect(await addPasskey(deps, person.id, { text, browser: 'other', name: 'x' })).toBe('wrong');
    const { challenge } = await ask();
    const signed = new Authenticator().create({ ...options, challenge });
    expect(await addPasskey(deps, person.id, { text: signed, browser: BROWSER, name: 'x' })).toBe('wrong');
  });

  it('once', async () => {
    const person = await someone();
    const text = new Authenticator().create(await creationOptions(deps, person, BROWSER));
    const add = () => addPasskey(deps, person.id, { text, browser: BROWSER, name: 'x' });
    expect([await add(), await add()]).toEqual(['added', 'known']);
    expect(await listPasskeys(db, person.id)).toMatchObject([{ name: 'x', used_at: null }]);
  });

  it('up to twenty times, also at once', async () => {
    const person = await someone();
    const made = await Promise.all(
      Array.from({ length: 22 }, async () => {
        const text = new Authenticator().create(await creationOptions(deps, person, BROWSER));
        return addPasskey(deps, person.id, { text, browser: BROWSER, name: 'x' });
      }),
    );
    expect(made.filter((one) => one === 'added')).toHaveLength(20);
    expect(made.filter((one) => one === 'too many')).toHaveLength(2);
  });
});

describe('what a passkey has signed counts', () => {
  it('for its person', async () => {
    const { person, authenticator } = await withPasskey();
    expect(await check(authenticator.get(await ask()))).toBe(person.id);
    const [listed] = await listPasskeys(db, person.id);
    expect(listed!.used_at).toBeInstanceOf(Date);
  });

  it('once, also in two processes at once', async () => {
    const { person, authenticator } = await withPasskey();
    const text = authenticator.get(await ask());
    const other = { ...deps, db: database.connect() };
    const found = await Promise.all(
      [deps, other, deps, other].map((one) =>
        checkPasskey(one, { text, browser: BROWSER, purpose: 'sign in' }),
      ),
    );
    expect(found.filter((id) => id !== undefined)).toEqual([person.id]);
  });

  it('not if its challenge is older than that of the last sign-in', async () => {
    const { person, authenticator } = await withPasskey();
    const old = await ask();
    expect(await check(authenticator.get(await ask()))).toBe(person.id);
    expect(await check(authenticator.get(old))).toBeUndefined();
  });

  it.each([
    ['by a page of another origin', { origin: 'https://evil.example' }],
    ['by a page of another host of the same name', { origin: 'http://localhost.evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['by a device that does not know who uses it', { isVerified: false }],
    ['for another person', { userHandle: Buffer.from('per_other').toString('base64url') }],
  ])('not %s', async (_, changes) => {
    const { authenticator } = await withPasskey();
    expect(await check(authenticator.get(await ask(), changes))).toBeUndefined();
  });

  it('not for another browser, another purpose, or another person', async () => {
    const { authenticator } = await withPasskey();
    const other = await withPasskey();
    expect(await check(authenticator.get(await ask('sign in', 'other')))).toBeUndefined();
    expect(await check(authenticator.get(await ask('confirm')))).toBeUndefined();
    expect(await check(authenticator.get(await ask()), other.person.id)).toBeUndefined();
  });

  it('not with a challenge that the service has not made, or made more than ten minutes ago', async () => {
    const { authenticator } = await withPasskey();
    const { challenge } = await ask();
    const forged = Buffer.from(challenge, 'base64url');
    forged[20]! ^= 1;
    for (const wrong of [forged.toString('base64url'), '', 'AAAA', 'x'.repeat(1000)])
      expect(await check(authenticator.get({ challenge: wrong }))).toBeUndefined();
    await run`update challenge_keys set key = sha256(key)`;
    expect(await check(authenticator.get({ challenge }))).toBeUndefined();
  });

  it('not with the signature of another passkey', async () => {
    const { authenticator } = await withPasskey();
    const options = await ask();
    const other = JSON.parse(new Authenticator().get(options)) as { response: { signature: string } };
    const own = JSON.parse(authenticator.get(options)) as { response: { signature: string } };
    const response = { ...own.response, signature: other.response.signature };
    expect(await check(JSON.stringify({ ...own, response }))).toBeUndefined();
  });

  it('not if the counter of the device has not grown, as after a copy of the device', async () => {
    const { person, authenticator } = await withPasskey();
    authenticator.counter = 5;
    expect(await check(authenticator.get(await ask()))).toBe(person.id);
    await makeOlder();
    expect(await check(authenticator.get(await ask()))).toBeUndefined();
    authenticator.counter = 6;
    expect(await check(authenticator.get(await ask()))).toBe(person.id);
  });

  it('not if another request has recorded a greater counter since the passkey was read', async () => {
    const { authenticator } = await withPasskey();
    const { id } = authenticator;
    const spend = (counter: number, challengedAt: Date) => spendChallenge(db, id, { challengedAt, counter });
    const [first, second] = [new Date(Date.now() + 1_000), new Date(Date.now() + 2_000)];
    expect(await spend(6, first)).toBe(true);
    expect(await spend(5, second)).toBe(false);
    expect(await spend(6, second)).toBe(false);
    expect(await spend(0, second)).toBe(false);
    expect(await findPasskey(db, id)).toMatchObject({ counter: 6 });
    // A counter has 32 bits without a sign.
    expect(await spend(2 ** 32 - 1, second)).toBe(true);
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '"x"',
    '{"id":"x","response":{}}',
    '{"id":1}',
    '{"id":"x","response":{"clientDataJSON":"e30"}}',
    '{"id":"x","response":{"clientDataJSON":{"x":1}}}',
  ])('not if it is %s', async (text) => {
    expect(await check(text)).toBeUndefined();
    expect(await addPasskey(deps, 'per_x', { text, browser: BROWSER, name: 'x' })).toBe('wrong');
  });
});

describe('passkeys belong to the host of the public URL', () => {
  it.each([
    [undefined, true],
    ['https://verify.example/below', true],
    ['http://localhost:8080', true],
    ['http://verify.example', false],
    ['https://192.0.2.1', false],
    ['https://[2001:db8::1]', false],
  ])('%s: %s', (publicUrl, isPossible) => {
    expect(canHavePasskeys({ settings: settingsWith({ publicUrl }) })).toBe(isPossible);
  });

  it('and to its pages alone', async () => {
    const here = { ...deps, settings: settingsWith({ publicUrl: 'https://verify.example/below' }) };
    const person = await someone();
    const origin = 'https://verify.example';
    const authenticator = new Authenticator({ rpId: 'verify.example', origin });
    const options = await creationOptions(here, person, BROWSER);
    expect(options.rp.id).toBe('verify.example');
    const wrong = authenticator.create(options, { origin: 'https://verify.example:8443' });
    expect(await addPasskey(here, person.id, { text: wrong, browser: BROWSER, name: 'x' })).toBe('wrong');
    const text = authenticator.create(options);
    expect(await addPasskey(here, person.id, { text, browser: BROWSER, name: 'x' })).toBe('added');
  });
});
