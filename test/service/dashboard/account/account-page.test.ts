/** The accounts of a person, and the switch between them. */
import { describe, expect, it } from 'vitest';
import { setMember } from '../../../../src/service/people/members/member-store.ts';
import { testDatabase } from '../../support/database.ts';
import { startStoredService } from '../../support/stored-service.ts';
import { makeMember, makePerson, Visitor } from '../../support/visitor.ts';

const { db } = await testDatabase();
const { app } = await startStoredService(db);
const ACCOUNT = '/dashboard/account';

const shown = (visitor: Visitor) =>
  [...visitor.document.querySelectorAll('tbody tr')]
    .find((row) => row.textContent.includes('in this browser'))
    ?.querySelector('th')?.textContent;

describe('a person with two accounts', () => {
  async function start() {
    const [first, second] = [await makePerson(db), await makePerson(db)];
    await setMember(db, second.id, first.personId, 'viewer');
    const visitor = await new Visitor(app).signIn(first);
    return { first, second, visitor };
  }

  it('begins in the one joined first, and switches in the menu of any page', async () => {
    const { first, second, visitor } = await start();
    await visitor.open(ACCOUNT);
    expect(shown(visitor)).toBe(first.email);
    await visitor.open('/dashboard/usage');
    await visitor.press('Switch', { account: second.id });
    expect([visitor.status, visitor.location]).toEqual([303, '/dashboard/?done=switched']);
    await visitor.follow();
    // The focus goes to it, so that screen readers say it.
    const said = `This browser now shows the account ${second.email}.`;
    expect(visitor.document.querySelector('.done[autofocus]')?.textContent).toBe(said);
    await visitor.open(ACCOUNT);
    expect([shown(visitor), visitor.formOf('Switch').sent.account]).toEqual([second.email, second.id]);
  });

  it('has the role of the chosen account', async () => {
    const { second, visitor } = await start();
    expect((await visitor.open('/dashboard/members')).status).toBe(200);
    await visitor.open(ACCOUNT);
    await visitor.press(`Switch to ${second.email}`);
    expect((await visitor.open('/dashboard/members')).status).toBe(403);
  });

  it('chooses for one session only', async () => {
    const { first, second, visitor } = await start();
    const elsewhere = await new Visitor(app).signIn(first);
    await visitor.open(ACCOUNT);
    await visitor.press(`Switch to ${second.email}`);
    await elsewhere.open(ACCOUNT);
    expect(shown(elsewhere)).toBe(first.email);
  });
});

it('does not switch to the account of others, nor to none', async () => {
  const [person, stranger] = [await makePerson(db), await makePerson(db)];
  const visitor = await (await new Visitor(app).signIn(person)).open(ACCOUNT);
  const { sent } = visitor.formOf('Sign out');
  for (const account of [stranger.id, 'acc_x', '', '\0']) {
    await visitor.post(ACCOUNT, { ...sent, account });
    expect([account, visitor.status, shown(visitor)]).toEqual([account, 404, person.email]);
    const said = 'You are not a member of this account. Nothing was changed.';
    expect(visitor.document.querySelector('.problem')?.textContent).toBe(said);
  }
});

it('names the account in the menu if its address is not the person’s, without a switch if it is the only one', async () => {
  const owner = await makePerson(db);
  const member = await makeMember(db, owner.id, 'viewer');
  const visitor = await (await new Visitor(app).signIn(member)).open('/dashboard/');
  const menu = visitor.document.querySelector('.masthead .person')?.textContent;
  expect([menu?.includes(owner.email), visitor.has('Switch')]).toEqual([true, false]);
  const own = await (await new Visitor(app).signIn(owner)).open('/dashboard/');
  expect(own.document.querySelector('.masthead .person')?.textContent?.split(owner.email).length).toBe(2);
});

it('tells a person without an account who can invite', async () => {
  const visitor = await (await new Visitor(app).signIn(await makeMember(db, undefined, 'viewer'))).open(
    ACCOUNT,
  );
  expect(visitor.status).toBe(200);
  expect(visitor.text).toContain('Owners and admins of an account can invite you');
});
