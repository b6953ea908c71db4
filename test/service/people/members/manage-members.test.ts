/** Changes and ends of memberships, by people and by the operator. */
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/service/audit/audit-store.ts';
import { addMember } from '../../../../src/service/people/members/add-member.ts';
import { deletePersonWithMemberships } from '../../../../src/service/people/members/delete-person.ts';
import { endMember, setRole } from '../../../../src/service/people/members/manage-members.ts';
import { listMembers, roleOf } from '../../../../src/service/people/members/member-store.ts';
import type { Role } from '../../../../src/service/people/members/roles.ts';
import { findPersonById } from '../../../../src/service/people/persons/person-store.ts';
import { auditOf } from '../../support/audit.ts';
import { testDatabase } from '../../support/database.ts';
import { makeMember, makePerson, managerOf } from '../../support/visitor.ts';

const database = await testDatabase();
const { db } = database;
/** Two processes. */
const [first, second] = [database.connect(), database.connect()];
const OPERATOR: Actor = { kind: 'operator' };
const ROUNDS = 20;

const ownersOf = async (accountId: string) =>
  (await listMembers(db, accountId)).filter(({ role }) => role === 'owner').length;

describe('what a role allows', () => {
  it.each([
    ['owner', 'owner', 'viewer', 'done'],
    ['owner', 'viewer', 'owner', 'done'],
    ['admin', 'viewer', 'admin', 'done'],
    ['admin', 'admin', 'viewer', 'done'],
    ['admin', 'viewer', 'owner', 'not-allowed'],
    ['admin', 'owner', 'viewer', 'not-allowed'],
    ['member', 'viewer', 'member', 'not-allowed'],
    ['viewer', 'viewer', 'viewer', 'not-allowed'],
  ] as const)('an %s makes the %s a %s: %s', async (own, before, after, expected) => {
    const { id } = await makePerson(db);
    const [manager, member] = [await makeMember(db, id, own), await makeMember(db, id, before)];
    expect(await setRole(db, managerOf(manager), member.personId, after)).toBe(expected);
    expect(await roleOf(db, id, member.personId)).toBe(expected === 'done' ? after : before);
  });

  it.each([
    ['owner', 'owner', 'done'],
    ['admin', 'admin', 'done'],
    ['admin', 'owner', 'not-allowed'],
    ['member', 'viewer', 'not-allowed'],
    ['viewer', 'member', 'not-allowed'],
  ] as const)('an %s ends the membership of the %s: %s', async (own, role, expected) => {
    const { id } = await makePerson(db);
    const [manager, member] = [await makeMember(db, id, own), await makeMember(db, id, role)];
    expect(await endMember(db, managerOf(manager), member.personId)).toBe(expected);
    expect(await roleOf(db, id, member.personId)).toBe(expected === 'done' ? undefined : role);
  });

  it('counts in the own account only', async () => {
    const [owner, other] = [await makePerson(db), await makePerson(db)];
    const member = await makeMember(db, other.id, 'viewer');
    expect(await endMember(db, managerOf(owner), member.personId)).toBe('no-such-member');
    const inAnother = { ...managerOf(owner), accountId: other.id };
    expect(await endMember(db, inAnother, member.personId)).toBe('not-allowed');
    expect(await setRole(db, inAnother, member.personId, 'owner')).toBe('not-allowed');
    expect(await roleOf(db, other.id, member.personId)).toBe('viewer');
  });
});

describe('the last owner', () => {
  it('stays, whoever asks', async () => {
    const owner = await makePerson(db);
    expect(await setRole(db, managerOf(owner), owner.personId, 'admin')).toBe('last-owner');
    expect(await endMember(db, managerOf(owner), owner.personId)).toBe('last-owner');
    const refused = { onlyOwnerOf: owner.email };
    expect(await deletePersonWithMemberships(db, owner.personId, OPERATOR)).toEqual(refused);
    expect(await roleOf(db, owner.id, owner.personId)).toBe('owner');
  });

  it('stays when two owners end each other at the same time', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const one = await makePerson(db);
      const other = await makeMember(db, one.id, 'owner');
      const ended = await Promise.all([
        endMember(first, managerOf(one), other.personId),
        setRole(second, managerOf(other), one.personId, 'viewer'),
      ]);
      expect(ended.filter((result) => result === 'done').length).toBe(1);
      expect(await ownersOf(one.id)).toBe(1);
    }
  });

  it('stays when both owners are deleted at the same time', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const one = await makePerson(db);
      const other = await makeMember(db, one.id, 'owner');
      const deleted = await Promise.all(
        [[first, one] as const, [second, other] as const].map(([from, { personId }]) =>
          deletePersonWithMemberships(from, personId, OPERATOR),
        ),
      );
      expect(deleted.filter((result) => result === 'deleted').length).toBe(1);
      expect(await ownersOf(one.id)).toBe(1);
    }
  });

  it('stays when the person is deleted while another account takes them in and loses its own owner', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await makePerson(db);
      const person = await makeMember(db, undefined, 'viewer');
      const takeIn = async () => {
        await addMember(first, {
          ...{ accountId: account.id, email: person.email, role: 'owner', actor: OPERATOR },
        });
        return endMember(first, managerOf(account), account.personId);
      };
      await Promise.all([takeIn(), deletePersonWithMemberships(second, person.personId, OPERATOR)]);
      expect(await ownersOf(account.id)).toBeGreaterThan(0);
    }
  });
});

it('tells who may change a member by the roles at the time of the change, not of the page', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const owner = await makePerson(db);
    const admin = await makeMember(db, owner.id, 'admin');
    const member = await makeMember(db, owner.id, 'viewer');
    const [promoted, ended] = await Promise.all([
      setRole(first, managerOf(owner), member.personId, 'owner'),
      endMember(second, managerOf(admin), member.personId),
    ]);
    // An admin never ends an owner.
    expect([promoted, ended]).toEqual(
      ended === 'done' ? ['no-such-member', 'done'] : ['done', 'not-allowed'],
    );
  }
});

describe('the operator', () => {
  const add = (accountId: string, email: string, role: Role, passwordHash?: string, from = db) =>
    addMember(from, { accountId, email, role, actor: OPERATOR, ...(passwordHash && { passwordHash }) });

  it('adds a person once, and makes one whom nobody knows, with the log', async () => {
    const owner = await makePerson(db);
    const person = await makeMember(db, undefined, 'viewer');
    const added = { kind: 'added', isNew: false };
    expect(await add(owner.id, person.email.toUpperCase(), 'member')).toMatchObject(added);
    expect(await add(owner.id, person.email, 'owner')).toEqual({ kind: 'member' });
    expect(await add(owner.id, 'nobody@example.com', 'member')).toEqual({ kind: 'no person' });
    expect(await add(owner.id, 'nobody@example.com', 'member', 'scrypt$hash')).toMatchObject({ isNew: true });
    expect(await add('acc_none', person.email, 'member')).toEqual({ kind: 'no account' });
    expect(await auditOf(db, owner.id, 'actor', 'action', 'subject_name')).toEqual([
      { actor: 'operator', action: 'member.add', subject_name: person.email },
      { actor: 'operator', action: 'member.add', subject_name: 'nobody@example.com' },
    ]);
  });

  it('makes one person and one membership when two commands add the same address at once', async () => {
    const owner = await makePerson(db);
    for (let round = 0; round < ROUNDS; round += 1) {
      const email = `added-${round}@example.com`;
      const added = await Promise.all(
        [first, second].map((from) => add(owner.id, email, 'viewer', 'scrypt$hash', from)),
      );
      expect(added.map(({ kind }) => kind).sort()).toEqual(['added', 'member']);
    }
  });

  it('deletes a person with the memberships, and leaves the accounts', async () => {
    const [owner, other] = [await makePerson(db), await makePerson(db)];
    const person = await makeMember(db, owner.id, 'admin');
    await add(other.id, person.email, 'viewer');
    expect(await deletePersonWithMemberships(db, person.personId, OPERATOR)).toBe('deleted');
    expect(await deletePersonWithMemberships(db, person.personId, OPERATOR)).toBe('gone');
    expect(await findPersonById(db, person.personId)).toBeUndefined();
    for (const { id, email } of [owner, other])
      expect((await listMembers(db, id)).map((member) => member.email)).toEqual([email]);
  });
});
