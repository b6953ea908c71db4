import { describe, expect, it } from 'vitest';
import { listInvitations } from '../../../../src/service/people/members/invitation-store.ts';
import { roleOf } from '../../../../src/service/people/members/member-store.ts';
import type { Role } from '../../../../src/service/people/members/roles.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import {
  letAnHourPass,
  makeMember,
  makePerson,
  newAddress,
  PASSWORD,
  type Person,
  Visitor,
} from '../../support/visitor.ts';
import { doneMessage, problemOf } from '../settings/person.ts';

const { db } = await testDatabase();
const { app } = await startStoredService(db);
const MEMBERS = '/dashboard/members';

async function signIn(person: Person): Promise<Visitor> {
  return (await new Visitor(app).signIn(person)).open(MEMBERS);
}

/** A new account, its owner, and the owner at the members' page. */
async function start() {
  const owner = await makePerson(db);
  return { owner, visitor: await signIn(owner) };
}

const linkOn = (visitor: Visitor) => visitor.document.querySelector('#invitation-link')?.textContent ?? '';

describe('the list of members', () => {
  it('has everybody with the role, owners first, and marks whoever reads it', async () => {
    const { owner, visitor } = await start();
    const viewer = await makeMember(db, owner.id, 'viewer');
    const admin = await makeMember(db, owner.id, 'admin');
    await makeMember(db, (await makePerson(db)).id, 'admin');
    await visitor.open(MEMBERS);
    const rows = [...visitor.document.querySelectorAll('[aria-label="Members"] tbody tr')];
    expect(rows.map((row) => [...row.children].slice(0, 2).map((cell) => cell.textContent))).toEqual([
      [`${owner.email} you`, 'Owner'],
      [admin.email, 'Admin'],
      [viewer.email, 'Viewer'],
    ]);
  });

  it.each(['member', 'viewer'] as const)('is not for a %s, nor in the menu', async (role) => {
    const { owner } = await start();
    const visitor = await signIn(await makeMember(db, owner.id, role));
    expect(visitor.status).toBe(403);
    expect(visitor.text).toContain('You may not invite and change members');
    expect((await visitor.open('/dashboard/')).response.body).not.toContain(`"${MEMBERS}"`);
  });
});

describe('the role of a member', () => {
  it('is changed by the form in the row', async () => {
    const { owner, visitor } = await start();
    const member = await makeMember(db, owner.id, 'viewer');
    await visitor.open(MEMBERS);
    const button = `Change role of ${member.email}`;
    await (await visitor.press(button, { role: 'admin' })).follow();
    expect(doneMessage(visitor)).toContain('The role was changed.');
    expect(await roleOf(db, owner.id, member.personId)).toBe('admin');
    // From the next request on.
    expect((await signIn(member)).status).toBe(200);
  });

  it('of the only owner stays, with a 409 and what to do', async () => {
    const { owner, visitor } = await start();
    await visitor.press(`Change role of ${owner.email}`, { role: 'admin' });
    expect([visitor.status, problemOf(visitor)]).toEqual([
      409,
      'An account needs an owner, and this is the only one. Make another member an owner first. Nothing was changed.',
    ]);
    const { sent } = visitor.formOf(`Change role of ${owner.email}`);
    await visitor.post(`${MEMBERS}/end`, { ...sent, role: '' });
    expect([visitor.status, await roleOf(db, owner.id, owner.personId)]).toEqual([409, 'owner']);
  });

  it('is below owner for an admin: the page offers no more, and a form that asks for more is refused', async () => {
    const { owner } = await start();
    const viewer = await makeMember(db, owner.id, 'viewer');
    const admin = await makeMember(db, owner.id, 'admin');
    const visitor = await signIn(admin);
    expect(visitor.has(`Change role of ${owner.email}`)).toBe(false);
    const { sent } = visitor.formOf(`Change role of ${viewer.email}`);
    expect(visitor.response.body).not.toContain('value="owner"');
    await visitor.post(`${MEMBERS}/role`, { ...sent, role: 'owner' });
    expect(visitor.status).toBe(403);
    expect(problemOf(visitor)).toContain('Only an owner changes owners');
    await visitor.post(`${MEMBERS}/role`, { ...sent, person: owner.personId, role: 'viewer' });
    expect(visitor.status).toBe(403);
    await visitor.post(`${MEMBERS}/end`, { ...sent, person: owner.personId });
    expect([visitor.status, await roleOf(db, owner.id, owner.personId)]).toEqual([403, 'owner']);
  });

  it('is not found for a member of another account, nor for a role that does not exist', async () => {
    const { owner, visitor } = await start();
    const other = await makePerson(db);
    const { sent } = visitor.formOf(`Change role of ${owner.email}`);
    for (const fields of [
      { person: other.personId, role: 'viewer' },
      { person: 'nobody', role: 'viewer' },
      { person: owner.personId, role: 'king' },
    ]) {
      await visitor.post(`${MEMBERS}/role`, { ...sent, ...fields });
      expect([fields, visitor.status]).toEqual([fields, 404]);
    }
    expect(await roleOf(db, other.id, other.personId)).toBe('owner');
  });
});

describe('the end of a membership', () => {
  it('takes the account out of the sessions of the person at the next request', async () => {
    const { owner, visitor } = await start();
    const member = await makeMember(db, owner.id, 'admin');
    const guest = await signIn(member);
    expect(guest.status).toBe(200);
    await visitor.open(MEMBERS);
    await (await visitor.press(`End membership of ${member.email}`)).follow();
    expect(doneMessage(visitor)).toContain('The membership has ended.');
    await guest.open('/dashboard/');
    expect([guest.status, guest.text.includes('You have no account')]).toEqual([403, true]);
    await visitor.open('/dashboard/audit');
    expect(visitor.text).toContain(`Ended the membership of \u2068${member.email}\u2069 as an admin`);
  });

  it('of an own one is offered on the page of security, and leads to the own accounts', async () => {
    const { owner } = await start();
    const visitor = await signIn(await makeMember(db, owner.id, 'admin'));
    const own = visitor.document.querySelector('[aria-label="Members"] a')!;
    expect(own.textContent).toBe('Leave this account…');
    expect(own.getAttribute('href')).toBe('/dashboard/security#leave');
    const [button] = visitor.document.querySelectorAll('tr:has(a[href$="#leave"]) button');
    const { sent } = visitor.formOf(button!.textContent!);
    await (await visitor.post(`${MEMBERS}/end`, sent)).follow();
    expect(visitor.status).toBe(200);
    expect(doneMessage(visitor)).toContain('You have left the account.');
  });
});

describe('an invitation', () => {
  const invite = async (visitor: Visitor, email: string, role: Role = 'viewer') => {
    await visitor.open(MEMBERS);
    return visitor.press('Invite', { Email: email, Role: role });
  };

  it('shows its link once, and is in the list until it is withdrawn', async () => {
    const { owner, visitor } = await start();
    const email = newAddress();
    await invite(visitor, email, 'admin');
    expect(visitor.status).toBe(200);
    expect(doneMessage(visitor)).toContain('Copy its link now');
    const link = linkOn(visitor);
    expect(link).toMatch(/^http:\/\/[^/]+\/invitation\/[\w-]{43}$/);
    expect((await visitor.open(MEMBERS)).response.body).not.toContain(link.split('/').at(-1));
    const [row] = [...visitor.document.querySelectorAll('[aria-label="Open invitations"] tbody tr')];
    expect([...row!.children].slice(0, 3).map((cell) => cell.textContent)).toEqual([
      email,
      'Admin',
      owner.email,
    ]);
    await (await visitor.press(`Withdraw the invitation of ${email}`)).follow();
    expect(doneMessage(visitor)).toContain('The invitation was withdrawn.');
    expect(visitor.text).toContain('There are no open invitations.');
  });

  it('is made once when the page with the link is loaded again', async () => {
    const { owner, visitor } = await start();
    const { action, sent } = visitor.formOf('Invite');
    const fields = { ...sent, email: newAddress(), role: 'viewer' };
    await visitor.post(action, fields);
    expect(linkOn(visitor)).not.toBe('');
    await (await visitor.post(action, fields)).follow();
    expect(doneMessage(visitor)).toContain('was made already');
    expect((await listInvitations(db, owner.id)).length).toBe(1);
  });

  it.each([
    ['no address', 'ada', 'viewer', 422, 'Expected an email address'],
    [
      'an address that is too long',
      `${'a'.repeat(64)}@${'b'.repeat(200)}.example`,
      'viewer',
      422,
      'Expected an email',
    ],
    ['no role', newAddress(), 'king', 422, 'Choose a role.'],
  ])('is not made for %s, and the form has what was typed', async (_case, email, role, status, why) => {
    const { owner, visitor } = await start();
    await invite(visitor, email, role as Role);
    expect([visitor.status, problemOf(visitor)]).toEqual([status, expect.stringContaining(why)]);
    expect(problemOf(visitor)).toContain('Nobody was invited.');
    expect(visitor.valueOf('Email')).toEqual(email);
    expect(visitor.document.title).toMatch(/^Not changed/);
    expect(await listInvitations(db, owner.id)).toEqual([]);
  });

  it('is not made for a member', async () => {
    const { owner, visitor } = await start();
    const member = await makeMember(db, owner.id, 'viewer');
    await invite(visitor, member.email.toUpperCase());
    expect(visitor.status).toBe(409);
    expect(problemOf(visitor)).toBe('This person is a member already. Nobody was invited.');
  });

  it('of an owner needs an owner', async () => {
    const { owner } = await start();
    const visitor = await signIn(await makeMember(db, owner.id, 'admin'));
    await invite(visitor, newAddress(), 'owner');
    expect(visitor.status).toBe(403);
    expect(problemOf(visitor)).toContain('Only an owner invites owners.');
    expect(await listInvitations(db, owner.id)).toEqual([]);
  });

  it('of another account is not found', async () => {
    const { visitor } = await start();
    const { owner: other, visitor: stranger } = await start();
    await invite(stranger, newAddress());
    const [{ id } = { id: '' }] = await listInvitations(db, other.id);
    const { sent } = visitor.formOf('Invite');
    for (const invitation of [id, 'inv_x', '']) {
      await visitor.post(`${MEMBERS}/withdraw`, { ...sent, invitation });
      expect([invitation, visitor.status]).toEqual([invitation, 404]);
    }
    expect((await listInvitations(db, other.id)).length).toBe(1);
  });

  it('needs the password again some time after the sign-in, and the form is filled in afterwards', async () => {
    const { owner, visitor } = await start();
    const email = newAddress();
    await letAnHourPass(db, owner);
    await visitor.press('Invite', { Email: email, Role: 'admin' });
    expect([visitor.status, visitor.has('Continue'), linkOn(visitor)]).toEqual([403, true, '']);
    expect(await listInvitations(db, owner.id)).toEqual([]);
    await visitor.press('Continue', { Password: PASSWORD });
    expect([visitor.valueOf('Email'), visitor.formOf('Invite').sent.role]).toEqual([email, 'admin']);
    await visitor.press('Invite');
    expect(linkOn(visitor)).not.toBe('');
  });

  it.each([
    [`role`, { role: 'owner' }],
    ['end', {}],
  ])('and so does the form %s of a member', async (action, fields) => {
    const { owner, visitor } = await start();
    const member = await makeMember(db, owner.id, 'viewer');
    const { sent } = (await visitor.open(MEMBERS)).formOf(`Change role of ${member.email}`);
    await letAnHourPass(db, owner);
    await visitor.post(`${MEMBERS}/${action}`, { ...sent, ...fields });
    expect([visitor.status, visitor.has('Continue')]).toEqual([403, true]);
    expect(await roleOf(db, owner.id, member.personId)).toBe('viewer');
  });
});
