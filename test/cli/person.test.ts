import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { roleOf } from '../../src/service/people/members/member-store.ts';
import { createPerson, findPersonByEmail } from '../../src/service/people/persons/person-store.ts';
import { insertIdentity, putProviderSession } from '../../src/service/people/provider/provider-store.ts';
import { readSignInLink } from '../../src/service/people/sign-in/sign-in-links.ts';
import { digestOf } from '../../src/shared/sha256.ts';
import { testDatabase } from '../service/support/database.ts';
import { startStoredService } from '../service/support/stored-service.ts';
import { makeMember, makePerson, PASSWORD, type Person, Visitor } from '../service/support/visitor.ts';
import { adminOn, createFolder } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);
const folder = createFolder();
const { app } = await startStoredService(db);

const eventsOf = async ({ id }: Person) =>
  db
    .selectFrom('audit')
    .select(['actor', 'action', 'subject_name', 'details'])
    .where('account_id', '=', id)
    .orderBy('id')
    .execute();

describe('person list and show', () => {
  it('print everybody, oldest first, and one person with the accounts, and never a hash', async () => {
    const [owner, other] = [await makePerson(db), await makePerson(db)];
    const member = await makeMember(db, owner.id, 'viewer');
    const listed = await admin.listed('person', 'list');
    const emails = listed.map((person) => (person as unknown as { email: string }).email);
    expect(emails.indexOf(owner.email)).toBeLessThan(emails.indexOf(other.email));
    expect(listed.find(({ id }) => id === member.personId)).toEqual({
      ...{ id: member.personId, email: member.email, has_password: true, accounts: 1 },
      created_at: expect.stringMatching(/Z$/),
    });
    await new Visitor(app).signIn(member);
    const shown = await admin.done('person', 'show', '--email', member.email.toUpperCase());
    expect(shown).toMatchObject({
      ...{ id: member.personId, email: member.email, sessions: 1 },
      accounts: [{ id: owner.id, owner_email: owner.email, role: 'viewer' }],
    });
    expect(JSON.stringify([listed, shown])).not.toContain('scrypt');
  });
});

describe('person end-sessions', () => {
  it('signs the person out everywhere, and nobody else', async () => {
    const [person, stranger] = [await makePerson(db), await makePerson(db)];
    const visitors = [];
    for (const one of [person, person, stranger]) visitors.push(await new Visitor(app).signIn(one));
    expect(await admin.done('person', 'end-sessions', '--email', person.email)).toEqual({
      ...{ email: person.email, ended: 2 },
    });
    const areOut = [];
    for (const visitor of visitors) areOut.push((await visitor.open('/dashboard/')).has('Sign in'));
    expect(areOut).toEqual([true, true, false]);
    expect(await eventsOf(person)).toEqual([
      { actor: 'operator', action: 'person.sessions', subject_name: person.email, details: { ended: 2 } },
    ]);
  });
});

describe('person sign-in-link', () => {
  it('prints a link that works once, and when it ends', async () => {
    const person = await makePerson(db);
    const made = (await admin.done('person', 'sign-in-link', '--email', person.email)) as unknown as {
      link: string;
      ends_at: string;
    };
    expect(made).toEqual({
      email: person.email,
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/login\/link\/[\w-]{43}$/),
      ends_at: expect.stringMatching(/Z$/),
    });
    const { pathname } = new URL(made.link);
    expect((await readSignInLink(db, pathname.split('/').at(-1)!))?.id).toBe(person.personId);
    const visitor = await new Visitor(app).open(pathname);
    await visitor.press('Sign in');
    expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/']);
  });
});

describe('person password', () => {
  it('gives a member another password, which ends the sessions, and says so in the log and at the sign-in', async () => {
    const owner = await makePerson(db);
    const member = await makeMember(db, owner.id, 'viewer');
    const before = await new Visitor(app).signIn(member);
    const printed = await admin.done('person', 'password', '--email', member.email.toUpperCase());
    expect(printed).toEqual({ email: member.email, password: expect.stringMatching(/^[a-z\d-]{23}$/) });
    expect((await before.open('/dashboard/')).has('Sign in')).toBe(true);
    expect((await new Visitor(app).signIn(member, PASSWORD)).status).toBe(422);
    const after = await new Visitor(app).signIn(member, printed.password);
    await after.open('/dashboard/');
    expect(after.text).toContain('The password was changed. The operator of this service did it.');
    expect(await eventsOf(owner)).toEqual([
      { actor: 'operator', action: 'person.password', subject_name: member.email, details: {} },
    ]);
  });

  it('gives a password to a person who has none, and takes it from a file that is not too easy', async () => {
    const email = 'single.sign.on@example.com';
    await createPerson(db, { email, passwordHash: null });
    const flags = (text: string) => ['--email', email, '--password-file', folder.write('new', text)];
    expect(await admin.refused('person', 'password', ...flags('Baseball1'))).toContain('--password-file');
    expect(await admin.done('person', 'password', ...flags('a sentence to remember'))).toEqual({ email });
    expect((await new Visitor(app).signIn({ email }, 'a sentence to remember')).status).toBe(303);
  });
});

describe('person unlink', () => {
  it('lets the person come in with another subject, and ends the sessions from there only', async () => {
    const person = await makePerson(db);
    const identity = { issuer: 'https://login.example', subject: 'first', sid: undefined };
    await insertIdentity(db, identity, person.personId);
    const [own, other] = [await new Visitor(app).signIn(person), await new Visitor(app).signIn(person)];
    await putProviderSession(db, digestOf(own.cookies.get('session')!), identity);
    expect(await insertIdentity(db, { ...identity, subject: 'second' }, person.personId)).toBe(false);
    expect(await admin.done('person', 'unlink', '--email', person.email)).toEqual({
      ...{ email: person.email, unlinked: true },
    });
    expect(await insertIdentity(db, { ...identity, subject: 'second' }, person.personId)).toBe(true);
    const isIn = async (visitor: Visitor) => (await visitor.open('/dashboard/apps')).has('Sign out');
    expect([await isIn(own), await isIn(other)]).toEqual([false, true]);
  });
});

describe('person delete', () => {
  it('deletes the person, and leaves the accounts and what they know', async () => {
    const owner = await makePerson(db);
    const member = await makeMember(db, owner.id, 'admin');
    const visitor = await new Visitor(app).signIn(member);
    expect(await admin.done('person', 'delete', '--email', member.email, '--yes')).toEqual({
      ...{ id: member.personId, email: member.email, deleted: true },
    });
    expect(await findPersonByEmail(db, member.email)).toBeUndefined();
    expect((await visitor.open('/dashboard/')).has('Sign in')).toBe(true);
    expect((await new Visitor(app).signIn(member, PASSWORD)).status).toBe(422);
    expect((await eventsOf(owner)).map(({ action }) => action)).toEqual(['member.end']);
  });

  it('is refused for the only owner of an account, and without --yes', async () => {
    const owner = await makePerson(db);
    const member = await makeMember(db, owner.id, 'admin');
    expect(await admin.refused('person', 'delete', '--email', owner.email, '--yes')).toContain('only owner');
    expect(await admin.refused('person', 'delete', '--email', member.email)).toContain('--yes');
    expect(await roleOf(db, owner.id, owner.personId)).toBe('owner');
  });
});

it.each(['show', 'password', 'end-sessions', 'sign-in-link', 'unlink', 'delete'])(
  'refuses person %s for an address that nobody has',
  async (verb) => {
    const flags = ['person', verb, '--email', 'nobody@example.com', ...(verb === 'delete' ? ['--yes'] : [])];
    expect(await admin.refused(...flags)).toContain('"nobody@example.com"');
  },
);

it('keeps the secret of a sign-in link out of the database', async () => {
  const { email } = await makePerson(db);
  const { link } = (await admin.done('person', 'sign-in-link', '--email', email)) as unknown as {
    link: string;
  };
  const { rows } = await sql<{ all: string }>`select string_agg(audit::text, '') as all from audit`.execute(
    db,
  );
  expect(rows[0]!.all).not.toContain(link.split('/').at(-1));
});
