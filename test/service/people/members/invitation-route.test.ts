/** The page of an invitation, as people without scripts use it. */
import { describe, expect, it } from 'vitest';
import {
  invite,
  makeInvitationId,
  readInvitation,
} from '../../../../src/service/people/members/invitations.ts';
import { roleOf } from '../../../../src/service/people/members/member-store.ts';
import { createPerson, findPersonByEmail } from '../../../../src/service/people/persons/person-store.ts';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS, settingsWith } from '../../support/deps.ts';
import { startStoredService } from '../../support/stored-service.ts';
import {
  makeMember,
  makePerson,
  managerOf,
  newAddress,
  type Person,
  Visitor,
} from '../../support/visitor.ts';

const { db, run } = await testDatabase();
const { app } = await startStoredService(db);
const deps = { ...DEPS, db, settings: settingsWith({}) };
const NEW = 'a sentence to remember';

/** Invites an address. @returns the path of the link, and what tells whether it was used */
async function inviteTo(owner: Person, email: string) {
  const invited = await invite(deps, managerOf(owner), { id: makeInvitationId(), email, role: 'viewer' });
  if (invited.kind !== 'invited') throw new Error(`Expected an invitation, got: ${invited.kind}.`);
  const { token } = invited;
  return {
    path: `/invitation/${token}`,
    isOpen: async () => (await readInvitation(db, token)) !== undefined,
  };
}

/** What the page says, without what differs from one request to the next. */
const pageOf = (visitor: Visitor, ...varying: string[]) =>
  varying.reduce(
    (page, text) => page.replaceAll(text, '…'),
    visitor.response.body.replace(/name="form_token" value="[^"]+"/g, ''),
  );

describe('somebody who has only the link', () => {
  it('sees the same page for an address that a person has, and for one that nobody has', async () => {
    const owner = await makePerson(db);
    const known = await makeMember(db, undefined, 'viewer');
    const withoutPassword = newAddress();
    await createPerson(db, { email: withoutPassword, passwordHash: null });
    const pages = [];
    for (const email of [known.email, withoutPassword, newAddress()]) {
      const { path, isOpen } = await inviteTo(owner, email);
      const visitor = await new Visitor(app).open(path);
      expect([visitor.status, await isOpen()]).toEqual([200, true]);
      pages.push(pageOf(visitor, email, path, encodeURIComponent(path)));
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain('If you have signed in here before');
    expect(pages[0]).toContain('If you are new here');
  });

  it('learns nothing from a password that is refused', async () => {
    const owner = await makePerson(db);
    const known = await makeMember(db, undefined, 'viewer');
    const answers = [];
    for (const email of [known.email, newAddress()]) {
      const { path } = await inviteTo(owner, email);
      const visitor = await new Visitor(app).open(path);
      for (const password of ['short', email, 'x'.repeat(2000)]) {
        await visitor.press('Accept', { Password: password });
        answers.push(`${visitor.status} ${pageOf(visitor, email, path, encodeURIComponent(path))}`);
      }
    }
    const half = answers.length / 2;
    expect(answers.slice(0, half)).toEqual(answers.slice(half));
    expect(answers[0]).toMatch(/^422 /);
  });

  it('gets nothing of a person who has the address, and leaves the password and the link alone', async () => {
    const owner = await makePerson(db);
    const known = await makePerson(db);
    const { path, isOpen } = await inviteTo(owner, known.email);
    const visitor = await new Visitor(app).open(path);
    const before = await findPersonByEmail(db, known.email);
    await visitor.press('Accept', { Password: NEW });
    expect([visitor.status, visitor.has('Sign in'), await isOpen()]).toEqual([422, true, true]);
    expect((await visitor.open('/dashboard/')).has('Sign in')).toBe(true);
    expect(await findPersonByEmail(db, known.email)).toEqual(before);
  });
});

describe('a new person', () => {
  it('makes a password, is signed in to the account, and signs in again with it', async () => {
    const owner = await makePerson(db);
    const email = newAddress();
    const { path, isOpen } = await inviteTo(owner, email);
    const visitor = await new Visitor(app).open(path);
    const planted = visitor.cookies.get('session');
    await visitor.press('Accept', { Password: NEW });
    expect([visitor.status, visitor.location, await isOpen()]).toEqual([303, '/dashboard/', false]);
    expect(visitor.cookies.get('session')).not.toBe(planted);
    expect((await visitor.follow()).text).toContain(owner.email);
    const again = await new Visitor(app).open('/login');
    expect((await again.press('Sign in', { Email: email, Password: NEW })).status).toBe(303);
  });

  it('is one person if the form is sent twice', async () => {
    const owner = await makePerson(db);
    const email = newAddress();
    const { path } = await inviteTo(owner, email);
    const [one, other] = [await new Visitor(app).open(path), await new Visitor(app).open(path)];
    await Promise.all([one, other].map((visitor) => visitor.press('Accept', { Password: NEW })));
    expect([one.status, other.status].filter((status) => status === 303).length).toBe(1);
    expect(await roleOf(db, owner.id, (await findPersonByEmail(db, email))!.id)).toBe('viewer');
  });
});

describe('a person who has signed in here before', () => {
  it('signs in from the page, comes back, and accepts', async () => {
    const owner = await makePerson(db);
    const guest = await makePerson(db);
    const { path } = await inviteTo(owner, guest.email);
    const visitor = await new Visitor(app).open(path);
    await visitor.openLink('a', 'Sign in');
    await (await visitor.signIn(guest)).follow();
    expect([visitor.status, visitor.has('Accept')]).toEqual([200, true]);
    await visitor.press('Accept');
    expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/']);
    // The account is chosen at once, beside the person's own.
    expect((await visitor.follow()).formOf('Switch').sent.account).toBe(owner.id);
  });

  it('is not asked again by the form of a second tab', async () => {
    const owner = await makePerson(db);
    const guest = await makeMember(db, undefined, 'viewer');
    const { path } = await inviteTo(owner, guest.email);
    const visitor = await (await new Visitor(app).signIn(guest)).open(path);
    const { action, sent } = visitor.formOf('Accept');
    expect((await visitor.post(action, sent)).status).toBe(303);
    await visitor.post(action, sent);
    expect([visitor.status, visitor.text.includes('Go to the dashboard')]).toEqual([404, true]);
  });

  it('does not accept with a form of another browser', async () => {
    const owner = await makePerson(db);
    const guest = await makeMember(db, undefined, 'viewer');
    const { path, isOpen } = await inviteTo(owner, guest.email);
    const visitor = await (await new Visitor(app).signIn(guest)).open(path);
    await visitor.post(path, { form_token: makeValue() });
    expect([visitor.status, visitor.has('Accept'), await isOpen()]).toEqual([403, true, true]);
  });
});

it('refuses another person with a sentence, and changes nothing', async () => {
  const owner = await makePerson(db);
  const stranger = await makeMember(db, undefined, 'viewer');
  const email = newAddress();
  const { path, isOpen } = await inviteTo(owner, email);
  const visitor = await (await new Visitor(app).signIn(stranger)).open(path);
  const sentence = `The invitation is for ${email}, and you are signed in as ${stranger.email}. Nothing was changed.`;
  expect([visitor.status, visitor.text.includes(sentence)]).toEqual([403, true]);
  const { sent } = visitor.formOf('Sign out');
  // Neither in the own session nor as a new person.
  for (const fields of [sent, { ...sent, password: NEW }]) {
    await visitor.post(path, fields);
    expect([visitor.status, visitor.text.includes(sentence), await isOpen()]).toEqual([403, true, true]);
  }
  expect(await roleOf(db, owner.id, stranger.personId)).toBeUndefined();
  expect(await findPersonByEmail(db, email)).toBeUndefined();
});

it('says one and the same of a link that is wrong, used, ended or withdrawn', async () => {
  const owner = await makePerson(db);
  const links = [];
  for (const sql of ['used', 'ended', 'withdrawn']) {
    const email = newAddress();
    const { path } = await inviteTo(owner, email);
    if (sql === 'used') await (await new Visitor(app).open(path)).press('Accept', { Password: NEW });
    if (sql === 'ended') await run`update invitations set expires_at = now() where email = ${email}`;
    if (sql === 'withdrawn') await db.deleteFrom('invitations').where('email', '=', email).execute();
    links.push(path);
  }
  const pages = [];
  for (const path of [...links, `/invitation/${makeValue()}`, '/invitation/x', '/invitation/%00']) {
    const visitor = await new Visitor(app).open(path);
    const token = new Visitor(app);
    const { sent } = (await token.open('/login')).formOf('Sign in');
    await token.post(path, { form_token: sent.form_token!, password: NEW });
    pages.push(`${visitor.status} ${visitor.text}`, `${token.status} ${token.text}`);
  }
  expect(new Set(pages).size).toBe(1);
  expect(pages[0]).toMatch(/^404 .*This invitation does not work.*Ask whoever invited you for a new one\./);
});
