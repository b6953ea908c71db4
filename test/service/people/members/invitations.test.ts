/** Invitations: who can make them, who can accept them, and when they end. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { endAccount } from '../../../../src/service/deletion/delete-account.ts';
import {
  forgetInvitations,
  listInvitations,
} from '../../../../src/service/people/members/invitation-store.ts';
import {
  acceptAsNewPerson,
  acceptInvitation,
  invite,
  MOST_INVITATIONS,
  makeInvitationId,
  readInvitation,
  withdraw,
} from '../../../../src/service/people/members/invitations.ts';
import { endMember, setRole } from '../../../../src/service/people/members/manage-members.ts';
import { listMembers, roleOf } from '../../../../src/service/people/members/member-store.ts';
import type { Role } from '../../../../src/service/people/members/roles.ts';
import { findPersonByEmail } from '../../../../src/service/people/persons/person-store.ts';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { auditOf } from '../../support/audit.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { makeMember, makePerson, managerOf, newAddress, type Person } from '../../support/visitor.ts';

const database = await testDatabase();
const { db, run } = database;
/** Two processes. */
const [one, other] = [database.connect(), database.connect()];
const deps = { ...DEPS, db, settings: settingsWith({}) };

/** Makes an invitation. @returns the secret of its link */
async function inviteAs(inviter: Person, email: string, role: Role = 'viewer', from = db): Promise<string> {
  const wish = { id: makeInvitationId(), email, role };
  const invited = await invite({ ...deps, db: from }, managerOf(inviter), wish);
  if (invited.kind !== 'invited') throw new Error(`Expected an invitation, got: ${invited.kind}.`);
  return invited.token;
}

const openOf = async ({ id }: Person) => (await listInvitations(db, id)).map(({ email }) => email);
const eventsOf = async ({ id }: Person) =>
  auditOf(db, id, 'actor', 'actor_name', 'action', 'subject_name', 'details');

describe('an invitation', () => {
  it('makes a member of the person who has its address, in any case, and is used up', async () => {
    const owner = await makePerson(db);
    const guest = await makeMember(db, undefined, 'viewer');
    const token = await inviteAs(owner, guest.email.toUpperCase(), 'admin');
    expect(await readInvitation(db, token)).toMatchObject({ ownerEmail: owner.email, role: 'admin' });
    const person = { id: guest.personId, email: guest.email };
    expect(await acceptInvitation(db, token, person)).toEqual({ kind: 'accepted', accountId: owner.id });
    expect(await roleOf(db, owner.id, guest.personId)).toBe('admin');
    expect([await readInvitation(db, token), await openOf(owner)]).toEqual([undefined, []]);
    expect(await eventsOf(owner)).toEqual([
      {
        ...{ actor: 'owner', actor_name: owner.email, action: 'member.invite' },
        ...{ subject_name: guest.email.toUpperCase(), details: { role: 'admin' } },
      },
      {
        ...{ actor: 'owner', actor_name: guest.email, action: 'member.join', subject_name: guest.email },
        details: { role: 'admin', invited_by: owner.email },
      },
    ]);
  });

  it('is for nobody with another address, and stays open for its own', async () => {
    const owner = await makePerson(db);
    const stranger = await makeMember(db, undefined, 'viewer');
    const email = newAddress();
    const token = await inviteAs(owner, email);
    const person = { id: stranger.personId, email: stranger.email };
    expect(await acceptInvitation(db, token, person)).toEqual({ kind: 'other person' });
    expect(await roleOf(db, owner.id, stranger.personId)).toBeUndefined();
    expect(await openOf(owner)).toEqual([email]);
  });

  it('makes a person with a password, if nobody has its address', async () => {
    const owner = await makePerson(db);
    const email = newAddress();
    const person = await acceptAsNewPerson(db, await inviteAs(owner, email, 'member'), 'scrypt$hash');
    expect(person).toMatchObject({ email, password_hash: 'scrypt$hash' });
    expect(await roleOf(db, owner.id, (person as { id: string }).id)).toBe('member');
  });

  it('gives nobody the person who has its address already', async () => {
    const owner = await makePerson(db);
    const guest = await makePerson(db);
    const token = await inviteAs(owner, guest.email);
    const before = await findPersonByEmail(db, guest.email);
    expect(await acceptAsNewPerson(db, token, 'scrypt$other')).toBe('exists');
    expect(await findPersonByEmail(db, guest.email)).toEqual(before);
    expect(await roleOf(db, owner.id, guest.personId)).toBeUndefined();
    expect(await openOf(owner)).toEqual([guest.email]);
  });

  it('of an admin does not take the place of one that only an owner can withdraw', async () => {
    const owner = await makePerson(db);
    const admin = await makeMember(db, owner.id, 'admin');
    const email = newAddress();
    const token = await inviteAs(owner, email, 'owner');
    const wish = { id: makeInvitationId(), email: email.toUpperCase(), role: 'viewer' } as const;
    expect(await invite(deps, managerOf(admin), wish)).toEqual({ kind: 'not allowed' });
    expect(await readInvitation(db, token)).toMatchObject({ role: 'owner' });
    // Once it has ended, it is in nobody's way.
    await setRole(db, managerOf(await makeMember(db, owner.id, 'owner')), owner.personId, 'admin');
    expect(await invite(deps, managerOf(admin), wish)).toMatchObject({ kind: 'invited' });
  });

  it('takes the place of an earlier one for the same address', async () => {
    const owner = await makePerson(db);
    const email = newAddress();
    const first = await inviteAs(owner, email, 'admin');
    const second = await inviteAs(owner, email.toUpperCase(), 'viewer');
    expect(await readInvitation(db, first)).toBeUndefined();
    expect(await readInvitation(db, second)).toMatchObject({ role: 'viewer' });
    expect(await openOf(owner)).toEqual([email.toUpperCase()]);
  });

  it('is made once by a form that is sent twice, and anew if the form has another address', async () => {
    const owner = await makePerson(db);
    const wish = { id: makeInvitationId(), email: newAddress(), role: 'viewer' } as const;
    const other = { ...wish, email: newAddress() };
    const results = [];
    for (const one of [wish, wish, other]) results.push((await invite(deps, managerOf(owner), one)).kind);
    expect(results).toEqual(['invited', 'before', 'invited']);
    expect((await openOf(owner)).sort()).toEqual([wish.email, other.email].sort());
  });

  it('is made with another id, if another account has the one of the form', async () => {
    const [owner, other] = [await makePerson(db), await makePerson(db)];
    const id = makeInvitationId();
    for (const inviter of [owner, other]) {
      const invited = await invite(deps, managerOf(inviter), { id, email: newAddress(), role: 'viewer' });
      expect(invited.kind).toBe('invited');
    }
    expect([(await openOf(owner)).length, (await openOf(other)).length]).toEqual([1, 1]);
  });

  it('is refused for a member, and when there are too many', async () => {
    const owner = await makePerson(db);
    const member = await makeMember(db, owner.id, 'viewer');
    const wish = { id: makeInvitationId(), email: member.email.toUpperCase(), role: 'admin' } as const;
    expect(await invite(deps, managerOf(owner), wish)).toEqual({ kind: 'member' });
    await run`
      insert into invitations (id, account_id, email, email_key, role, digest, inviter_id, expires_at)
      select 'inv_' || substr(md5(${owner.id} || n), 1, 24), ${owner.id}, n || '@example.com',
        n || '@example.com', 'viewer', sha256((${owner.id} || n)::bytea), ${owner.personId},
        clock_timestamp() + interval '1 day'
      from generate_series(1, ${MOST_INVITATIONS}::int) as n
    `;
    const one = { id: makeInvitationId(), email: newAddress(), role: 'viewer' } as const;
    expect(await invite(deps, managerOf(owner), one)).toEqual({ kind: 'too many' });
  });

  it('ends when its time is over, by the clock of the database, and the housekeeping deletes it', async () => {
    const owner = await makePerson(db);
    const [late, open] = [newAddress(), newAddress()];
    const token = await inviteAs(owner, late);
    await inviteAs(owner, open);
    await run`update invitations set created_at = created_at - interval '8 days',
      expires_at = clock_timestamp() - interval '1 second' where email = ${late}`;
    expect(await readInvitation(db, token)).toBeUndefined();
    expect(await acceptAsNewPerson(db, token, 'scrypt$hash')).toBe('gone');
    expect(await findPersonByEmail(db, late)).toBeUndefined();
    await forgetInvitations(db);
    expect(
      await db.selectFrom('invitations').select('email').where('account_id', '=', owner.id).execute(),
    ).toEqual([{ email: open }]);
  });

  it('lasts as long as the setting says', async () => {
    const owner = await makePerson(db);
    const settings = settingsWith({ durations: { invitation: 100 } });
    const wish = { id: makeInvitationId(), email: newAddress(), role: 'viewer' } as const;
    await invite({ db, settings }, managerOf(owner), wish);
    const { rows } = await sql<{ seconds: number }>`
      select round(extract(epoch from expires_at - created_at))::int as seconds from invitations where id = ${wish.id}
    `.execute(db);
    expect(rows).toEqual([{ seconds: 100 }]);
  });

  it('is withdrawn, and with it its link', async () => {
    const [owner, stranger] = [await makePerson(db), await makePerson(db)];
    const token = await inviteAs(owner, newAddress());
    const [{ id } = { id: '' }] = await listInvitations(db, owner.id);
    expect(await withdraw(db, managerOf(stranger), id)).toBe('gone');
    expect(await withdraw(db, managerOf(owner), id)).toBe('withdrawn');
    expect(await withdraw(db, managerOf(owner), id)).toBe('gone');
    expect(await readInvitation(db, token)).toBeUndefined();
    expect((await eventsOf(owner)).at(-1)).toMatchObject({ action: 'member.withdraw' });
  });

  it('ends with the account', async () => {
    const owner = await makePerson(db);
    const token = await inviteAs(owner, newAddress());
    await db.transaction().execute((transaction) => endAccount(transaction, owner.id));
    expect(await readInvitation(db, token)).toBeUndefined();
    expect(
      await db.selectFrom('invitations').select('id').where('account_id', '=', owner.id).execute(),
    ).toEqual([]);
  });

  it('leaves a member who accepts it with the role from before: it is no way to lose the last owner', async () => {
    const owner = await makePerson(db);
    const email = newAddress();
    const token = await inviteAs(owner, email, 'viewer');
    await run`update persons set email = ${email}, email_key = ${email} where id = ${owner.personId}`;
    const accepted = await acceptInvitation(db, token, { id: owner.personId, email });
    expect([accepted.kind, await roleOf(db, owner.id, owner.personId)]).toEqual(['accepted', 'owner']);
  });
});

describe('the person who invites', () => {
  it.each([
    ['owner', 'owner', 'invited'],
    ['owner', 'viewer', 'invited'],
    ['admin', 'admin', 'invited'],
    ['admin', 'owner', 'not allowed'],
    ['member', 'viewer', 'not allowed'],
    ['viewer', 'viewer', 'not allowed'],
  ] as const)('is %s, and invites an %s: %s', async (own, role, expected) => {
    const { id } = await makePerson(db);
    const inviter = await makeMember(db, id, own);
    const wish = { id: makeInvitationId(), email: newAddress(), role };
    expect((await invite(deps, managerOf(inviter), wish)).kind).toBe(expected);
    expect((await openOf(inviter)).length).toBe(expected === 'invited' ? 1 : 0);
  });

  it('takes the invitations along when the membership ends: nobody comes back with another address', async () => {
    const owner = await makePerson(db);
    const admin = await makeMember(db, owner.id, 'admin');
    const token = await inviteAs(admin, newAddress());
    expect(await endMember(db, managerOf(owner), admin.personId)).toBe('done');
    expect([await readInvitation(db, token), await openOf(owner)]).toEqual([undefined, []]);
    expect(await acceptAsNewPerson(db, token, 'scrypt$hash')).toBe('gone');
  });

  it('takes those along that the new role does not allow', async () => {
    const owner = await makePerson(db);
    const other = await makeMember(db, owner.id, 'owner');
    const ofOwner = await inviteAs(other, newAddress(), 'owner');
    const ofViewer = await inviteAs(other, newAddress());
    await setRole(db, managerOf(owner), other.personId, 'admin');
    expect(await readInvitation(db, ofOwner)).toBeUndefined();
    expect((await readInvitation(db, ofViewer))?.role).toBe('viewer');
  });

  it('may not withdraw what only an owner may', async () => {
    const owner = await makePerson(db);
    const admin = await makeMember(db, owner.id, 'admin');
    await inviteAs(owner, newAddress(), 'owner');
    const [{ id } = { id: '' }] = await listInvitations(db, owner.id);
    expect(await withdraw(db, managerOf(admin), id)).toBe('not allowed');
    expect((await openOf(owner)).length).toBe(1);
  });
});

it('finds no invitation for what is no secret of a link', async () => {
  for (const text of ['', 'x', "'", '\0', 'x'.repeat(43), makeValue()])
    expect([text, await readInvitation(db, text)]).toEqual([text, undefined]);
});

describe('at the same time', () => {
  const ROUNDS = 20;

  it('two requests of a person make one membership, and both succeed', async () => {
    const owner = await makePerson(db);
    for (let round = 0; round < ROUNDS; round += 1) {
      const guest = await makeMember(db, undefined, 'viewer');
      const token = await inviteAs(owner, guest.email);
      const person = { id: guest.personId, email: guest.email };
      const accepted = await Promise.all([one, other].map((from) => acceptInvitation(from, token, person)));
      // The later one may come when the link is used up already.
      expect(accepted.some(({ kind }) => kind === 'accepted')).toBe(true);
      const members = (await listMembers(db, owner.id)).filter(({ personId }) => personId === guest.personId);
      expect(members.length).toBe(1);
      expect((await eventsOf(owner)).filter(({ actor_name }) => actor_name === guest.email)).toHaveLength(1);
    }
  });

  it('two new persons of one link are one person, with the password of the first', async () => {
    const owner = await makePerson(db);
    for (let round = 0; round < ROUNDS; round += 1) {
      const email = newAddress();
      const token = await inviteAs(owner, email);
      const made = await Promise.all([
        acceptAsNewPerson(one, token, 'scrypt$one'),
        acceptAsNewPerson(other, token, 'scrypt$other'),
      ]);
      const persons = made.filter((person) => typeof person === 'object');
      expect(persons.length).toBe(1);
      expect(await findPersonByEmail(db, email)).toEqual(persons[0]);
    }
  });

  it('an invitation that is withdrawn while it is accepted either makes a member or does not', async () => {
    const owner = await makePerson(db);
    for (let round = 0; round < ROUNDS; round += 1) {
      const guest = await makeMember(db, undefined, 'viewer');
      const token = await inviteAs(owner, guest.email);
      const { id } = (await listInvitations(db, owner.id)).find(({ email }) => email === guest.email)!;
      const [accepted, withdrawn] = await Promise.all([
        acceptInvitation(one, token, { id: guest.personId, email: guest.email }),
        withdraw(other, managerOf(owner), id),
      ]);
      const isMember = (await roleOf(db, owner.id, guest.personId)) !== undefined;
      expect([accepted.kind, withdrawn]).toEqual(isMember ? ['accepted', 'gone'] : ['gone', 'withdrawn']);
    }
  });

  it('two invitations of one address leave one', async () => {
    const owner = await makePerson(db);
    for (let round = 0; round < ROUNDS; round += 1) {
      const email = newAddress();
      const invitedFrom = (from: typeof db) => inviteAs(owner, email, 'viewer', from);
      const tokens = await Promise.all([one, other].map(invitedFrom));
      const found = await Promise.all(tokens.map((token) => readInvitation(db, token)));
      expect(found.filter(Boolean).length).toBe(1);
    }
  });
});
