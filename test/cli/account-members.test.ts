import { describe, expect, it } from 'vitest';
import { findAccountById } from '../../src/service/people/accounts/account-store.ts';
import { roleOf } from '../../src/service/people/members/member-store.ts';
import { findPersonByEmail } from '../../src/service/people/persons/person-store.ts';
import { auditOf } from '../service/support/audit.ts';
import { testDatabase } from '../service/support/database.ts';
import { startStoredService } from '../service/support/stored-service.ts';
import { makeMember, makePerson, Visitor } from '../service/support/visitor.ts';
import { adminOn } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);

let addresses = 0;
const newAddress = () => {
  addresses += 1;
  return `commanded-${process.pid}-${addresses}@example.com`;
};
const members = (verb: string, email: string, person: string, role?: string) => [
  ...['account', 'members', verb, '--email', email, '--person', person],
  ...(role === undefined ? [] : ['--role', role]),
];

describe('account members', () => {
  it('adds, lists, changes and removes a member, with the log', async () => {
    const owner = await makePerson(db);
    const person = await makeMember(db, undefined, 'viewer');
    expect(await admin.done(...members('add', owner.email, person.email.toUpperCase(), 'viewer'))).toEqual({
      ...{ owner_email: owner.email, person: person.email, person_id: person.personId, role: 'viewer' },
    });
    await admin.done(...members('set-role', owner.email, person.email, 'admin'));
    const since = expect.stringMatching(/Z$/);
    expect(await admin.listed('account', 'members', 'list', '--email', owner.email)).toEqual([
      { person: owner.email, person_id: owner.personId, role: 'owner', since },
      { person: person.email, person_id: person.personId, role: 'admin', since },
    ]);
    const removed = await admin.done(...members('remove', owner.email, person.email));
    expect(removed).toMatchObject({ removed: true });
    expect(await roleOf(db, owner.id, person.personId)).toBeUndefined();
    expect(await auditOf(db, owner.id, 'actor', 'action', 'details')).toEqual([
      { actor: 'operator', action: 'member.add', details: { role: 'viewer' } },
      { actor: 'operator', action: 'member.role', details: { from: 'viewer', to: 'admin' } },
      { actor: 'operator', action: 'member.end', details: { role: 'admin' } },
    ]);
  });

  it('makes the person whom nobody knows, who signs in with the printed password', async () => {
    const owner = await makePerson(db);
    const email = newAddress();
    const { password } = await admin.done(...members('add', owner.email, email, 'member'));
    const { app } = await startStoredService(db);
    expect((await new Visitor(app).signIn({ email }, password)).status).toBe(303);
  });

  it('refuses to take the last owner away', async () => {
    const owner = await makePerson(db);
    await makeMember(db, owner.id, 'admin');
    for (const flags of [
      members('remove', owner.email, owner.email),
      members('set-role', owner.email, owner.email, 'viewer'),
    ])
      expect(await admin.refused(...flags)).toContain('the only one');
    expect(await roleOf(db, owner.id, owner.personId)).toBe('owner');
  });

  it.each([
    ['add', 'viewer', 'is not a member'],
    ['add', 'king', 'owner, admin, member or viewer'],
    ['set-role', undefined, '--role'],
  ])('refuses %s of a member with the role %s', async (verb, role, why) => {
    const owner = await makePerson(db);
    expect(await admin.refused(...members(verb, owner.email, owner.email, role))).toContain(why);
  });

  it.each(['remove', 'set-role'])('refuses %s of somebody who is no member', async (verb) => {
    const [owner, stranger] = [await makePerson(db), await makePerson(db)];
    const role = verb === 'remove' ? undefined : 'viewer';
    const refused = (email: string, person: string) => admin.refused(...members(verb, email, person, role));
    expect(await refused(owner.email, stranger.email)).toContain('a member of the account');
    expect(await refused(owner.email, newAddress())).toContain('address of a person');
    expect(await refused(newAddress(), owner.email)).toContain('address of an account');
  });
});

describe('account rename', () => {
  const rename = (from: string, to: string) => ['account', 'rename', '--email', from, '--to', to];

  it('gives the account another address, and leaves that of the person', async () => {
    const owner = await makePerson(db);
    const to = newAddress();
    expect(await admin.done(...rename(owner.email.toUpperCase(), to))).toEqual({
      ...{ id: owner.id, owner_email: to, before: owner.email },
    });
    expect(await admin.refused('account', 'show', '--email', owner.email)).toContain('address of an account');
    expect((await admin.done('account', 'show', '--email', to)).id).toBe(owner.id);
    expect((await findPersonByEmail(db, owner.email))?.id).toBe(owner.personId);
  });

  it('refuses an address that an account has, in any case', async () => {
    const [one, other] = [await makePerson(db), await makePerson(db)];
    expect(await admin.refused(...rename(one.email, other.email.toUpperCase()))).toContain('--to');
    expect((await findAccountById(db, one.id))?.owner_email).toBe(one.email);
  });

  it('renames once when two commands rename an account at once, and says why the other did not', async () => {
    const owner = await makePerson(db);
    const renaming = [1, 2].map(() => admin.done(...rename(owner.email, newAddress())));
    const results = await Promise.allSettled(renaming);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
    // The other one ends with exit code 2 and one line, as any later one does.
    expect(await admin.refused(...rename(owner.email, newAddress()))).toContain('address of an account');
  });

  it('gives an address to one of two accounts that get it at once', async () => {
    const [one, other] = [await makePerson(db), await makePerson(db)];
    const to = newAddress();
    const renaming = [one, other].map(({ email }) => admin.done(...rename(email, to)));
    const results = await Promise.allSettled(renaming);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBe(1);
  });
});
