/** The operator's sign-in links: they let one person in, once, for ten minutes. */
import { describe, expect, it } from 'vitest';
import { makeValue } from '../../../../src/service/people/sessions/cookie-value.ts';
import { forgetSignInLinks } from '../../../../src/service/people/sign-in/sign-in-link-store.ts';
import { makeSignInLink, spendLink } from '../../../../src/service/people/sign-in/sign-in-links.ts';
import { auditOf } from '../../support/audit.ts';
import { dumpOf, testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { makePerson, type Person, Visitor } from '../../support/visitor.ts';

const database = await testDatabase();
const { db, run } = database;
const { app } = await startStoredService(db);

const linkFor = async ({ personId: id, email }: Person) =>
  (await makeSignInLink(db, { id, email }, { kind: 'operator' })).path;
const tokenIn = (path: string) => path.split('/').at(-1)!;
const isSignedIn = async (visitor: Visitor) => !(await visitor.open('/dashboard/')).has('Sign in');

describe('a sign-in link', () => {
  it('lets the person in once, with a button', async () => {
    const person = await makePerson(db);
    const path = await linkFor(person);
    const visitor = await new Visitor(app).open(path);
    expect([visitor.status, visitor.text.includes(person.email)]).toEqual([200, true]);
    await visitor.press('Sign in');
    expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/']);
    expect(await isSignedIn(visitor)).toBe(true);
    expect((await new Visitor(app).open(path)).status).toBe(404);
  });

  it('is not used up by a program that opens it for a preview', async () => {
    const path = await linkFor(await makePerson(db));
    for (let opened = 0; opened < 3; opened += 1)
      expect((await new Visitor(app).open(path)).status).toBe(200);
  });

  it('gives a cookie of its own, so that none that was planted before is of use', async () => {
    const visitor = await new Visitor(app).open(await linkFor(await makePerson(db)));
    const planted = visitor.cookies.get('session');
    await visitor.press('Sign in');
    expect(visitor.cookies.get('session')).not.toBe(planted);
  });

  it('does nothing for a form of another browser', async () => {
    const path = await linkFor(await makePerson(db));
    const visitor = await new Visitor(app).open(path);
    await visitor.post(path, { form_token: makeValue() });
    expect([visitor.status, visitor.has('Sign in'), await isSignedIn(visitor)]).toEqual([403, true, false]);
    expect((await new Visitor(app).open(path)).status).toBe(200);
  });

  it('ends after ten minutes, and the housekeeping deletes it', async () => {
    const person = await makePerson(db);
    const path = await linkFor(person);
    const pass = (seconds: number) =>
      run`update sign_in_links set created_at = created_at - make_interval(secs => ${seconds}),
        expires_at = expires_at - make_interval(secs => ${seconds}) where person_id = ${person.personId}`;
    await pass(570);
    const visitor = await new Visitor(app).open(path);
    expect(visitor.status).toBe(200);
    await pass(31);
    await visitor.press('Sign in');
    expect([visitor.status, await isSignedIn(visitor)]).toEqual([404, false]);
    await forgetSignInLinks(db);
    const left = await run`select from sign_in_links where person_id = ${person.personId}`;
    expect(left.rows).toEqual([]);
  });

  it('ends the one before', async () => {
    const person = await makePerson(db);
    const [first, second] = [await linkFor(person), await linkFor(person)];
    expect((await new Visitor(app).open(first)).status).toBe(404);
    expect((await new Visitor(app).open(second)).status).toBe(200);
  });

  it('says the same whether it is wrong, used or over', async () => {
    const person = await makePerson(db);
    const used = await linkFor(person);
    await spendLink(db, tokenIn(used));
    const pages = [];
    for (const path of [used, `/login/link/${makeValue()}`, '/login/link/x', '/login/link/%00']) {
      const { status, text } = await new Visitor(app).open(path);
      pages.push(`${status} ${text}`);
    }
    expect(new Set(pages).size).toBe(1);
    expect(pages[0]).toContain('This link does not work');
  });

  it('is in the log of every account of the person, when it is made and when it is used', async () => {
    const person = await makePerson(db);
    await spendLink(db, tokenIn(await linkFor(person)));
    expect(await auditOf(db, person.id, 'actor', 'actor_name', 'action', 'subject_name')).toEqual([
      { actor: 'operator', actor_name: 'admin command', action: 'person.link', subject_name: person.email },
      { actor: 'owner', actor_name: person.email, action: 'person.link-used', subject_name: person.email },
    ]);
  });

  it('is in the database as a digest only', async () => {
    const token = tokenIn(await linkFor(await makePerson(db)));
    const dump = await dumpOf(db, 'sign_in_links');
    expect(dump).not.toContain(token);
    expect(dump).not.toContain(Buffer.from(token).toString('hex'));
  });

  it('lets one of two requests in that come at the same time', async () => {
    const [one, other] = [database.connect(), database.connect()];
    const person = await makePerson(db);
    for (let round = 0; round < 20; round += 1) {
      const token = tokenIn(await linkFor(person));
      const used = await Promise.all([spendLink(one, token), spendLink(other, token)]);
      expect(used.filter(Boolean).length).toBe(1);
    }
    const actions = (await auditOf(db, person.id, 'action')).map(({ action }) => action);
    expect(actions.filter((action) => action === 'person.link-used')).toHaveLength(20);
  });
});
