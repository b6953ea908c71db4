/** What a person can remove, and when what ends is deleted. */
import { describe, expect, it } from 'vitest';
import {
  beginSetUp,
  confirmSetUp,
  findApp,
  findSetUp,
  forgetSetUps,
  spendStep,
} from '../../../../src/service/people/factors/authenticator-app-store.ts';
import {
  confirmApp,
  makeOwnCodes,
  removeOwnApp,
  removeOwnPasskey,
  resetSecondFactor,
} from '../../../../src/service/people/factors/change-factors.ts';
import { factorsOf, lacksFactor } from '../../../../src/service/people/factors/factor-store.ts';
import {
  findHalfSignIn,
  forgetHalfSignIns,
  insertHalfSignIn,
} from '../../../../src/service/people/factors/half-sign-in-store.ts';
import { insertPasskey } from '../../../../src/service/people/factors/passkey-store.ts';
import { insertIdentity } from '../../../../src/service/people/provider/provider-store.ts';
import { digestOf } from '../../../../src/shared/sha256.ts';
import { auditOf } from '../../support/audit.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { codeOf } from '../../support/factors.ts';
import { startScriptedProvider } from '../../support/scripted-provider.ts';
import { makeMember, makePerson } from '../../support/visitor.ts';

const database = await testDatabase();
const { db, run } = database;
const deps = { ...DEPS, db };
const PASSWORD_ONLY = { hasPassword: true, hasProvider: false, hasApp: false, passkeys: 0, codes: 0 };

let passkeys = 0;
async function addPasskey(personId: string): Promise<string> {
  passkeys += 1;
  const id = `passkey-${passkeys}`;
  const row = { id, personId, publicKey: Buffer.alloc(1), counter: 0, transports: [], name: 'x' };
  await insertPasskey(db, { ...row, challengedAt: new Date() });
  return id;
}

async function addApp(person: { readonly id: string; readonly email: string }) {
  const { secret, seconds } = await beginSetUp(db, person.id);
  return confirmApp(deps, person, codeOf(secret, seconds));
}

async function someone() {
  const { personId: id, email, id: accountId } = await makePerson(db);
  return { id, email, accountId };
}

const withoutPassword = (id: string) =>
  db.updateTable('persons').set({ password_hash: null }).where('id', '=', id).execute();

describe('an authenticator app', () => {
  it('counts only after its first code, which comes with recovery codes', async () => {
    const person = await someone();
    await beginSetUp(db, person.id);
    expect(await factorsOf(db, person.id)).toEqual(PASSWORD_ONLY);
    expect(await confirmApp(deps, person, '000000')).toEqual({ kind: 'wrong' });
    expect(await addApp(person)).toMatchObject({ kind: 'added', codes: { length: 10 } });
    expect(await factorsOf(db, person.id)).toEqual({ ...PASSWORD_ONLY, hasApp: true, codes: 10 });
  });

  it('takes the place of the one from before, and leaves the recovery codes', async () => {
    const person = await someone();
    await addApp(person);
    const before = await findApp(db, person.id);
    expect(await addApp(person)).toEqual({ kind: 'added', codes: undefined });
    expect((await findApp(db, person.id))!.secret).not.toBe(before!.secret);
    expect(await spendStep(db, before!.id, 1e9)).toBe(false);
  });

  it('shows the same key until the set-up is over, after an hour', async () => {
    const person = await someone();
    const [one, other] = [await beginSetUp(db, person.id), await beginSetUp(db, person.id)];
    expect(other.secret).toBe(one.secret);
    await run`update authenticator_apps set created_at = created_at - interval '61 minutes'
      where person_id = ${person.id}`;
    expect(await findSetUp(db, person.id)).toBeUndefined();
    expect(await confirmApp(deps, person, codeOf(one.secret, one.seconds))).toEqual({ kind: 'over' });
    await addApp(await someone());
    await forgetSetUps(db);
    expect(
      await db.selectFrom('authenticator_apps').selectAll().where('person_id', '=', person.id).execute(),
    ).toEqual([]);
    expect((await beginSetUp(db, person.id)).secret).not.toBe(one.secret);
  });

  it('stays the one that counts if a set-up is over meanwhile', async () => {
    const person = await someone();
    await addApp(person);
    expect(await confirmSetUp(db, person.id, 'totp_gone', 1)).toBe(false);
    expect(await findApp(db, person.id)).toBeDefined();
  });

  it('accepts each step once in several processes at once, and no earlier one after it', async () => {
    const person = await someone();
    await addApp(person);
    const { id, lastStep } = (await findApp(db, person.id))!;
    const others = [db, database.connect(), database.connect()];
    const spent = await Promise.all(
      Array.from({ length: 12 }, (_, index) => spendStep(others[index % 3]!, id, lastStep! + 2)),
    );
    expect(spent.filter(Boolean)).toHaveLength(1);
    expect(await spendStep(db, id, lastStep! + 1)).toBe(false);
  });
});

describe('a second factor is removed', () => {
  it('with the recovery codes, if it is the last', async () => {
    const person = await someone();
    await addApp(person);
    const id = await addPasskey(person.id);
    expect(await removeOwnApp(deps, person)).toBe('removed');
    expect(await factorsOf(db, person.id)).toMatchObject({ passkeys: 1, codes: 10 });
    expect(await removeOwnPasskey(deps, person, id)).toBe('removed');
    expect(await factorsOf(db, person.id)).toMatchObject({ passkeys: 0, codes: 0 });
    expect(await makeOwnCodes(deps, person)).toBeUndefined();
  });

  it('not by another person', async () => {
    const [person, other] = [await someone(), await someone()];
    const id = await addPasskey(person.id);
    expect(await removeOwnPasskey(deps, other, id)).toBe('unknown');
    expect(await removeOwnApp(deps, other)).toBe('unknown');
    expect(await factorsOf(db, person.id)).toMatchObject({ passkeys: 1 });
  });

  it('never if it is the only way in, also by two requests at once', async () => {
    const person = await someone();
    await withoutPassword(person.id);
    const ids = [await addPasskey(person.id), await addPasskey(person.id)];
    const elsewhere = { ...deps, db: database.connect() };
    const removed = await Promise.all([
      removeOwnPasskey(deps, person, ids[0]!),
      removeOwnPasskey(elsewhere, person, ids[1]!),
    ]);
    expect(removed.sort()).toEqual(['only way in', 'removed']);
  });

  it('if the person can sign in through the provider, which the config still has', async () => {
    const { settings } = await startScriptedProvider();
    const person = await someone();
    await withoutPassword(person.id);
    const id = await addPasskey(person.id);
    await insertIdentity(db, { issuer: 'https://login.example', subject: '1' }, person.id);
    expect(await removeOwnPasskey(deps, person, id)).toBe('only way in');
    const withProvider = { ...deps, settings: { ...deps.settings, oidc: settings } };
    expect(await removeOwnPasskey(withProvider, person, id)).toBe('removed');
  });

  it('not if the service requires one, unless another is left', async () => {
    const strict = { ...deps, settings: settingsWith({ signIn: { secondFactor: 'required' } }) };
    const person = await someone();
    await addApp(person);
    expect(await removeOwnApp(strict, person)).toBe('required');
    const id = await addPasskey(person.id);
    expect(await removeOwnApp(strict, person)).toBe('removed');
    expect(await removeOwnPasskey(strict, person, id)).toBe('required');
  });

  it('by the operator, with all the others, with what waits for it, and with the log of each account', async () => {
    const person = await someone();
    await addApp(person);
    await addPasskey(person.id);
    const id = digestOf(person.id);
    await insertHalfSignIn(db, { id, personId: person.id, passwordDigest: id, returnTo: undefined });
    expect(await resetSecondFactor(db, person, { kind: 'operator' })).toBe(true);
    expect(await factorsOf(db, person.id)).toEqual(PASSWORD_ONLY);
    expect(await findHalfSignIn(db, id)).toBeUndefined();
    expect(await resetSecondFactor(db, person, { kind: 'operator' })).toBe(false);
    const audit = await auditOf(db, person.accountId, 'actor', 'action', 'subject_name');
    expect(audit.filter(({ actor }) => actor === 'operator')).toEqual([
      { actor: 'operator', action: 'person.second-factor', subject_name: person.email },
    ]);
  });
});

describe('a second factor is missing', () => {
  it.each([
    ['owner', 'admins', true],
    ['admin', 'admins', true],
    ['member', 'admins', false],
    ['viewer', 'admins', false],
    ['viewer', 'everybody', true],
  ] as const)('to a person who is %s, where %s need one: %s', async (role, who, isMissing) => {
    const { accountId } = await someone();
    const { personId } = await makeMember(db, accountId, role);
    expect(await lacksFactor(db, personId, who)).toBe(isMissing);
    await addPasskey(personId);
    expect(await lacksFactor(db, personId, who)).toBe(false);
  });

  it('to nobody without a password', async () => {
    const { id } = await someone();
    await withoutPassword(id);
    expect(await lacksFactor(db, id, 'everybody')).toBe(false);
  });
});

it('forgets half sign-ins that have ended', async () => {
  const { id: personId } = await someone();
  const [ended, waiting] = [digestOf('ended'), digestOf('waiting')];
  for (const id of [ended, waiting])
    await insertHalfSignIn(db, { id, personId, passwordDigest: id, returnTo: '/dashboard/' });
  await run`update half_sign_ins set expires_at = clock_timestamp() where id = ${ended}`;
  expect(await findHalfSignIn(db, ended)).toBeUndefined();
  await forgetHalfSignIns(db);
  const left = await db.selectFrom('half_sign_ins').select('id').where('person_id', '=', personId).execute();
  expect(left).toEqual([{ id: waiting }]);
});
