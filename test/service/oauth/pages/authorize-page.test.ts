/** `/oauth/authorize` as a person at a browser sees it. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { readAudit } from '../../../../src/service/audit/audit-store.ts';
import { deleteApp } from '../../../../src/service/oauth/apps/app-store.ts';
import { OUT_OF_BAND } from '../../../../src/service/oauth/apps/redirect-uri.ts';
import { setMember } from '../../../../src/service/people/members/member-store.ts';
import type { Role } from '../../../../src/service/people/members/roles.ts';
import { formTokenOf } from '../../../../src/service/people/sessions/cookie-value.ts';
import { testDatabase } from '../../support/database.ts';
import { type StoredServiceOptions, startStoredService } from '../../support/stored-service.ts';
import { makeMember, makePerson, Visitor } from '../../support/visitor.ts';
import { CALLBACK, CHALLENGE, type Client, VERIFIER, worldOf } from '../world.ts';

const { db, run } = await testDatabase();

type Wish = { redirectUris?: string[]; name?: string };

async function start(wish: Wish = {}, options: StoredServiceOptions = {}) {
  const service = await startStoredService(db, options);
  const person = await makePerson(db, 7);
  const world = worldOf(db, service.app, person.id);
  const client = await world.makeApp(wish);
  const [redirect_uri = CALLBACK] = wish.redirectUris ?? [];
  const request = { response_type: 'code', client_id: client.client_id, redirect_uri };
  const visitor = new Visitor(service.app);
  const urlOf = (more: Record<string, string> = {}) =>
    `/oauth/authorize?${new URLSearchParams({ ...request, ...more })}`;
  return { ...service, ...world, person, client, visitor, urlOf };
}

/** A person who has signed in and looks at the question. */
async function startAtQuestion(more: Record<string, string> = {}, wish: Wish = {}) {
  const world = await start(wish);
  await world.visitor.signIn(world.person);
  await world.visitor.open(world.urlOf(more));
  return world;
}

const codesOf = ({ client_id }: Client) =>
  db.selectFrom('authorization_codes').selectAll().where('client_id', '=', client_id).execute();

describe('the question', () => {
  it('says who asks for what, and for which account', async () => {
    const { visitor, person } = await startAtQuestion();
    expect(visitor.status).toBe(200);
    expect(visitor.document.querySelector('h1')!.textContent).toBe('Allow Newsletter to use your account?');
    expect(visitor.text).toContain(`The app Newsletter asks to use the account of ${person.email}.`);
    expect(visitor.text).toContain('The app belongs to the same account.');
    expect(visitor.text).toContain('verify email addresses, one by one and in batches, with your credits');
    expect(visitor.text).toContain('After your decision you go to app.example.');
    expect([visitor.has('Allow'), visitor.has('Deny')]).toEqual([true, true]);
  });

  it('says whose app it is', async () => {
    const { visitor, person, urlOf } = await start();
    const other = await makePerson(db);
    await visitor.signIn(other);
    await visitor.open(urlOf());
    const said = `asks to use the account of ${other.email}. The app belongs to ${person.email}.`;
    expect(visitor.text).toContain(said);
  });

  it.each([
    ['https://app.example/cb', "'self' https:", 'you go to app.example.'],
    ['http://127.0.0.1:9999/cb', "'self' http:", 'you go to 127.0.0.1:9999.'],
    ['com.example.app:/cb', "'self' com.example.app:", 'the app opens.'],
    [OUT_OF_BAND, "'self'", 'you get a code.'],
  ])('lets the form lead to %s', async (uri, targets, words) => {
    const { visitor } = await startAtQuestion({}, { redirectUris: [uri] });
    const policy = String(visitor.response.headers['content-security-policy']);
    expect(policy).toContain(`form-action ${targets};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(visitor.text).toContain(words);
  });

  it('shows the name of an app as text', async () => {
    const name = '<script>alert(1)</script> & "co" \u202e';
    const { visitor } = await startAtQuestion({}, { name });
    expect(visitor.document.querySelector('h1')!.textContent).toBe(`Allow ${name} to use your account?`);
    expect(visitor.response.body).not.toContain('<script');
    // Isolated, so that its direction does not turn the words around it.
    expect(visitor.document.querySelector('h1 bdi')).not.toBeNull();
  });

  it('is asked every time, also for an app that was allowed before', async () => {
    const { visitor, urlOf } = await startAtQuestion();
    await visitor.press('Allow');
    expect((await visitor.open(urlOf())).has('Allow')).toBe(true);
  });
});

describe('with a role', () => {
  const outcome = async (role: Role | undefined) => {
    const world = await start();
    const member = await makeMember(db, role && world.person.id, role ?? 'viewer');
    await (await world.visitor.signIn(member)).open(world.urlOf());
    const { visitor } = world;
    return { ...world, member, visitor };
  };

  it.each(['owner', 'admin'] as const)('lets an %s decide, who is in the audit log', async (role) => {
    const { visitor, member, person, client } = await outcome(role);
    expect(visitor.text).toContain(`asks to use the account of ${person.email}`);
    expect((await visitor.press('Allow')).status).toBe(303);
    expect(await codesOf(client)).toMatchObject([{ account_id: person.id, person_id: member.personId }]);
    const [event] = await readAudit(db, person.id, { limit: 1 });
    expect(event).toMatchObject({ action: 'app.allow', actor: 'owner', actor_name: member.email });
  });

  it.each(['member', 'viewer', undefined] as const)('says to a %s that others decide', async (role) => {
    const { visitor, client, person, urlOf } = await outcome(role);
    expect([visitor.status, visitor.has('Allow'), visitor.has('Deny')]).toEqual([403, false, false]);
    expect(visitor.text).toMatch(
      role ? /You may not change live keys and apps of the account of/ : /You are a member of no account/,
    );
    expect(visitor.document.querySelector('main a')!.getAttribute('href')).toContain('other=account');
    const form_token = formTokenOf(visitor.cookies.get('session')!, role && person.id);
    const asked = Object.fromEntries(new URLSearchParams(urlOf().replace(/.*\?/, '')));
    await visitor.post('/oauth/authorize', { ...asked, form_token, decision: 'allow' });
    expect([visitor.status, await codesOf(client)]).toEqual([403, []]);
  });

  it('decides nothing after the membership has ended, or the role has changed, since the page was shown', async () => {
    for (const change of [
      (accountId: string, personId: string) => setMember(db, accountId, personId, 'viewer'),
      (accountId: string, personId: string) =>
        run`delete from members where account_id = ${accountId} and person_id = ${personId}`,
    ]) {
      const { visitor, member, person, client } = await outcome('admin');
      expect(visitor.has('Allow')).toBe(true);
      await change(person.id, member.personId);
      await visitor.press('Allow');
      expect([visitor.status, await codesOf(client)]).toEqual([403, []]);
    }
  });
});

describe('without a session', () => {
  it('asks for the sign-in in its own place, and comes back to the same request', async () => {
    const state = '\'"<>&=?#+ %20ü\0\u{1F600}';
    const { visitor, urlOf, person } = await start();
    const url = urlOf({ state, code_challenge: CHALLENGE, code_challenge_method: 'S256' });
    await visitor.open(url);
    expect(visitor.status).toBe(200);
    expect(visitor.text).toContain('The app Newsletter asks to use your account.');
    await (await visitor.signIn(person)).follow();
    expect(visitor.has('Allow')).toBe(true);
    await visitor.press('Allow');
    expect(new URL(visitor.location!).searchParams.get('state')).toBe(state);
  });

  it('keeps a request as long as a head may be', async () => {
    const { visitor, urlOf, person } = await start();
    const state = '%"'.repeat(2_000);
    await visitor.open(urlOf({ state }));
    await (await visitor.signIn(person)).follow();
    await visitor.press('Deny');
    expect(new URL(visitor.location!).searchParams.get('state')).toBe(state);
  });

  it('shows a wrong request before anybody signs in', async () => {
    const { visitor, urlOf } = await start();
    await visitor.open(urlOf({ redirect_uri: 'https://evil.example/' }));
    expect([visitor.status, visitor.has('Sign in'), visitor.location]).toEqual([400, false, undefined]);
  });
});

describe('the decision', () => {
  it('gives the app a code that works', async () => {
    const request = { state: 'abc', code_challenge: CHALLENGE, code_challenge_method: 'S256' };
    const { visitor, client, exchange, askAccount, person } = await startAtQuestion(request);
    expect((await visitor.press('Allow')).status).toBe(303);
    const { origin, pathname, searchParams } = new URL(visitor.location!);
    expect(origin + pathname).toBe(CALLBACK);
    expect(searchParams.get('state')).toBe('abc');
    const tokens = await exchange(client, searchParams.get('code')!, { code_verifier: VERIFIER });
    const account = await askAccount(tokens.json().access_token);
    expect(account.json()).toEqual({ owner_email: person.email, available_credits: 7 });
  });

  it('tells the app of a denial', async () => {
    const { visitor, client } = await startAtQuestion({ state: 'abc' });
    await visitor.press('Deny');
    const { searchParams } = new URL(visitor.location!);
    expect(visitor.status).toBe(303);
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.get('state')).toBe('abc');
    expect(await codesOf(client)).toEqual([]);
  });

  it('tells neither the app nor anybody else where the person was', async () => {
    const { visitor } = await startAtQuestion();
    const question = visitor.response;
    await visitor.press('Allow');
    for (const { headers } of [question, visitor.response]) {
      expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
    }
  });

  it('shows the code of an app without a page of its own, and its denial', async () => {
    const { visitor, client, exchange, urlOf } = await startAtQuestion({}, { redirectUris: [OUT_OF_BAND] });
    await visitor.press('Allow');
    expect([visitor.status, visitor.location]).toEqual([200, undefined]);
    const code = visitor.document.getElementById('code')!.textContent!;
    expect((await exchange(client, code, { redirect_uri: OUT_OF_BAND })).statusCode).toBe(200);
    await visitor.open(urlOf());
    await visitor.press('Deny');
    expect([visitor.status, visitor.text.includes('You denied the request')]).toEqual([200, true]);
  });

  it('gives the app its state with the line breaks that it had, which browsers change in fields', async () => {
    const state = 'a\nb\rc\r\n%0A%';
    const { visitor } = await startAtQuestion({ state });
    expect(visitor.formOf('Allow').sent.state).toMatch(/^[!-~]+$/);
    // The question that is asked again has the same state.
    await visitor.press('Allow', { form_token: 'x' });
    await visitor.press('Deny');
    expect(new URL(visitor.location!).searchParams.get('state')).toBe(state);
  });

  it('with a state that no page of ours has sent is refused', async () => {
    const { visitor, client } = await startAtQuestion({ state: 'a' });
    await visitor.press('Allow', { state: '%' });
    expect([visitor.status, visitor.location]).toEqual([400, undefined]);
    expect(await codesOf(client)).toEqual([]);
  });

  it('can be taken again with the back button, and is for one code each', async () => {
    const { visitor, urlOf } = await startAtQuestion();
    await visitor.press('Allow');
    const first = visitor.location;
    await visitor.open(urlOf());
    expect((await visitor.press('Allow')).location).not.toBe(first);
  });

  it('in one of two tabs leaves the other one its own request', async () => {
    const { visitor, urlOf } = await startAtQuestion({ state: 'first' });
    const first = visitor.formOf('Allow');
    await visitor.open(urlOf({ state: 'second' }));
    await visitor.press('Deny');
    expect(visitor.location).toContain('state=second');
    expect((await visitor.post(first.action, first.sent)).location).toContain('state=first');
  });

  it('is an error page if the app was deleted meanwhile', async () => {
    const { visitor, client } = await startAtQuestion();
    const form = visitor.formOf('Allow');
    await deleteApp(db, client.client_id);
    await visitor.post(form.action, form.sent);
    expect([visitor.status, visitor.location]).toEqual([400, undefined]);
  });

  it('is judged again: a request that was changed in the form gets an error page', async () => {
    const { visitor, client } = await startAtQuestion();
    await visitor.press('Allow', { redirect_uri: 'https://evil.example/' });
    expect([visitor.status, visitor.location]).toEqual([400, undefined]);
    expect(await codesOf(client)).toEqual([]);
  });

  it.each([
    ['has another name', (id: string) => sql`update apps set name = 'Bank' where client_id = ${id}`],
    [
      'belongs to another account',
      (id: string) =>
        sql`update apps set account_id = (select min(id) from accounts where id <> account_id) where client_id = ${id}`,
    ],
  ])('is asked again if the app %s by now', async (_, change) => {
    const { visitor, client } = await startAtQuestion({ state: 'abc' });
    await makePerson(db);
    await change(client.client_id).execute(db);
    await visitor.press('Allow');
    expect([visitor.status, visitor.location]).toEqual([403, undefined]);
    expect(visitor.text).toContain('The page was out of date, so your decision was not saved.');
    expect(await codesOf(client)).toEqual([]);
    expect((await visitor.press('Allow')).location).toContain('state=abc');
  });

  it('for one app is none for another one that is put into the form', async () => {
    const { visitor, client, makeApp, urlOf } = await startAtQuestion();
    const evil = await makeApp({ redirectUris: ['https://evil.example/', CALLBACK] });
    for (const change of [
      { client_id: evil.client_id },
      { client_id: evil.client_id, redirect_uri: 'https://evil.example/' },
      { question_token: null },
    ]) {
      await visitor.press('Allow', change);
      expect([visitor.status, visitor.location]).toEqual([403, undefined]);
      await visitor.open(urlOf());
    }
    expect(await codesOf(evil)).toEqual([]);
    expect(await codesOf(client)).toEqual([]);
  });

  it('must be one of the two', async () => {
    const { visitor, client } = await startAtQuestion();
    const { action, sent } = visitor.formOf('Allow');
    for (const decision of ['', 'yes']) {
      expect((await visitor.post(action, { ...sent, decision })).status).toBe(400);
    }
    expect(await codesOf(client)).toEqual([]);
  });

  it('cannot be brought along by the request of an app', async () => {
    const { visitor, urlOf, client } = await startAtQuestion();
    await visitor.open(urlOf({ decision: 'allow', form_token: 'x' }));
    expect((await visitor.press('Deny')).location).toContain('error=access_denied');
    expect(await codesOf(client)).toEqual([]);
  });
});

describe('a decision that nobody took (cross-site request forgery)', () => {
  it.each([
    ['of another site', { origin: 'https://evil.example' }],
    ['of another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
  ])('%s is refused', async (_, headers) => {
    const { visitor, client } = await startAtQuestion();
    await visitor.press('Allow', {}, { headers });
    expect([visitor.status, visitor.location]).toEqual([403, undefined]);
    expect(await codesOf(client)).toEqual([]);
  });

  it('without the token, or with that of another session, is asked again', async () => {
    const { visitor, client, app, person, urlOf } = await startAtQuestion();
    const stranger = await new Visitor(app).signIn(person);
    const token = (await stranger.open(urlOf())).formOf('Allow').sent.form_token!;
    for (const form_token of [null, token]) {
      await visitor.press('Allow', { form_token });
      expect([visitor.status, visitor.location]).toEqual([403, undefined]);
      expect(visitor.text).toContain('The page was out of date, so your decision was not saved.');
    }
    expect(await codesOf(client)).toEqual([]);
    expect((await visitor.press('Allow')).status).toBe(303);
  });

  it('is not taken from the query', async () => {
    const { visitor, client } = await startAtQuestion();
    const { action, sent } = visitor.formOf('Allow');
    expect((await visitor.post(`${action}?${new URLSearchParams(sent)}`, {})).status).toBe(400);
    expect(await codesOf(client)).toEqual([]);
  });
});

describe('a session that ends between the page and the press', () => {
  it('decides nothing, and the person signs in and comes back to the same request', async () => {
    const { visitor, client, person } = await startAtQuestion({ state: 'abc' });
    await db.deleteFrom('sessions').where('account_id', '=', person.id).execute();
    await visitor.press('Allow');
    expect([visitor.status, visitor.location]).toEqual([403, undefined]);
    const said = 'Your session has ended, so your decision was not saved. Sign in, then decide again.';
    expect(visitor.text).toContain(said);
    expect(await codesOf(client)).toEqual([]);
    await (await visitor.signIn(person)).follow();
    expect((await visitor.press('Allow')).location).toContain('state=abc');
  });

  it('never decides for the account that signed in with the same browser since', async () => {
    const { visitor, client, urlOf } = await startAtQuestion();
    const old = visitor.formOf('Allow');
    const other = await makePerson(db);
    await visitor.open(`/login?other=account&return_to=${encodeURIComponent(urlOf())}`);
    await visitor.signIn(other);
    await visitor.post(old.action, old.sent);
    expect([visitor.status, visitor.location]).toEqual([403, undefined]);
    expect(visitor.text).toContain(other.email);
    expect(await codesOf(client)).toEqual([]);
  });
});

it('leads to another account and back to the same request', async () => {
  const { visitor } = await startAtQuestion({ state: 'a&b' });
  const other = await makePerson(db);
  await visitor.openLink('a', 'Use another account');
  await (await visitor.signIn(other)).follow();
  expect(visitor.text).toContain(`the account of ${other.email}`);
  await visitor.press('Deny');
  expect(new URL(visitor.location!).searchParams.get('state')).toBe('a&b');
});

describe('an error page', () => {
  it.each([
    ['an unknown app', { client_id: 'unknown_app_' }, 'invalid_client'],
    ['a redirect URI that is not registered', { redirect_uri: `${CALLBACK}/` }, 'invalid_redirect_uri'],
    ['another response type', { response_type: 'token' }, 'invalid_request'],
    ['a challenge without its method', { code_challenge: CHALLENGE }, 'invalid_request'],
  ])('tells of %s, and goes nowhere', async (_, more, error) => {
    const { visitor, urlOf } = await start();
    await visitor.open(urlOf(more));
    expect([visitor.status, visitor.location, visitor.has('Allow')]).toEqual([400, undefined, false]);
    expect(visitor.response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(visitor.text).toContain(error);
  });

  it('escapes what it quotes', async () => {
    const { visitor, urlOf } = await start();
    for (const name of ['client_id', 'redirect_uri', 'response_type', 'scope', 'code_challenge_method']) {
      const challenge = name.startsWith('code') && { code_challenge: CHALLENGE };
      await visitor.open(urlOf({ [name]: '<script>alert(1)</script>', ...challenge }));
      expect(visitor.status, name).toBe(400);
      expect(visitor.response.body).not.toContain('<script');
    }
  });

  it('tells of broken escapes and of parameters that come twice', async () => {
    const { visitor, urlOf } = await start();
    expect((await visitor.open(`${urlOf()}&state=%ff`)).status).toBe(400);
    expect((await visitor.open(`${urlOf()}&client_id=x`)).status).toBe(400);
    expect(visitor.response.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('tells that the database is away', async () => {
    const { visitor, urlOf } = await start({}, { isReady: () => false });
    await visitor.open(urlOf());
    expect(visitor.status).toBe(503);
    expect(visitor.response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(visitor.response.headers['content-security-policy']).toContain("style-src 'self'");
  });
});

it('writes no code, state or app to the log', async () => {
  const { visitor, logged, client, person } = await startAtQuestion({ state: 'the-state' });
  await visitor.press('Allow');
  const code = new URL(visitor.location!).searchParams.get('code')!;
  const text = logged.join('\n');
  expect(text).toContain('/oauth/authorize');
  for (const secret of [code, 'the-state', client.client_id, person.email])
    expect(text).not.toContain(secret);
});
