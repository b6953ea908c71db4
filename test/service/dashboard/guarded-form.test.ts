/** Forms that ask for the password again, if the person typed it too long ago. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { findCallbackSecrets } from '../../../src/service/people/accounts/account-store.ts';
import { emptyBeforeEach, testDatabase } from '../support/database.ts';
import { type StoredServiceOptions, startStoredService } from '../support/stored-service.ts';
import { arrive, PASSWORD, Visitor } from '../support/visitor.ts';

const { db, run } = await testDatabase();
emptyBeforeEach(db, 'guesses');

const FORMS = [
  {
    ...{ path: '/dashboard/keys/new', button: 'Create key', table: 'keys' as const },
    fields: { Name: 'Shop & <co>', 'Trusted domains': 'one.example\ntwo.example' },
  },
  {
    ...{ path: '/dashboard/apps/new', button: 'Create app', table: 'apps' as const },
    fields: { Name: 'Newsletter', 'Redirect URIs': 'https://one.example/cb\nhttps://two.example/cb' },
  },
];

async function start(options: StoredServiceOptions = {}) {
  const service = await startStoredService(db, options);
  const { person, visitor } = await arrive(service, db);
  /** Lets the sign-in be as long ago as a wait would have made it. */
  const passSeconds = (seconds: number) =>
    run`
      update sessions set authenticated_at = clock_timestamp() - make_interval(secs => ${seconds}::float8)
      where account_id = ${person.id}
    `;
  const made = async (table: 'keys' | 'apps') =>
    (await db.selectFrom(table).select('name').where('account_id', '=', person.id).execute()).length;
  return { ...service, person, visitor, passSeconds, made };
}

const ASKS = 'You typed your password some time ago.';

describe.each(FORMS)('$path', ({ path, button, table, fields }) => {
  it('asks for no password within ten minutes after the sign-in', async () => {
    const { visitor, passSeconds, made } = await start();
    await passSeconds(570);
    await visitor.open(path);
    await visitor.press(button, fields);
    expect([visitor.status, await made(table)]).toEqual([200, 1]);
  });

  it('asks for the password later, and is there afterwards', async () => {
    const { visitor, passSeconds, made } = await start();
    await passSeconds(601);
    await visitor.open(path);
    expect([visitor.text.includes(ASKS), visitor.has(button)]).toEqual([true, false]);
    await (await visitor.press('Continue', { Password: PASSWORD })).follow();
    await visitor.press(button, fields);
    expect([visitor.status, await made(table)]).toEqual([200, 1]);
  });

  it('makes nothing when it is sent later, and is there again, filled in, after the password', async () => {
    const { visitor, passSeconds, made } = await start();
    await visitor.open(path);
    await passSeconds(601);
    await visitor.press(button, fields);
    expect([visitor.status, visitor.text.includes(ASKS), await made(table)]).toEqual([403, true, 0]);
    await visitor.press('Continue', { Password: 'not the password' });
    expect([visitor.status, visitor.text.includes('The password is wrong.')]).toEqual([422, true]);
    expect(visitor.response.body).not.toContain('not the password');
    await visitor.press('Continue', { Password: PASSWORD });
    expect([visitor.status, await made(table)]).toEqual([200, 0]);
    for (const [label, value] of Object.entries(fields)) {
      expect(visitor.valueOf(label)?.trim()).toBe(value);
    }
    expect(visitor.response.body).not.toContain(PASSWORD);
    await visitor.press(button);
    expect([visitor.status, await made(table)]).toEqual([200, 1]);
  });

  it('makes nothing when it is posted with the password of the confirmation at once', async () => {
    const { visitor, passSeconds, made } = await start();
    const { sent } = (await visitor.open(path)).formOf(button);
    await passSeconds(601);
    await visitor.post(path, { ...sent, name: 'Shop', confirm_password: PASSWORD });
    expect([visitor.status, visitor.has(button), await made(table)]).toEqual([200, true, 0]);
  });

  it('takes no password of another browser or another session', async () => {
    const { visitor, app, person, passSeconds, made } = await start();
    const other = await new Visitor(app).signIn(person);
    await passSeconds(601);
    await other.open(path);
    await other.press('Continue', { Password: PASSWORD });
    expect((await visitor.open(path)).text).toContain(ASKS);
    const { sent } = visitor.formOf('Continue');
    await other.post(path, { ...sent, confirm_password: PASSWORD });
    expect([other.status, await made(table)]).toEqual([403, 0]);
  });
});

/** What gets a new value, and where the page shows it. */
const ROLLS = [
  { what: 'a key', ...FORMS[0]!, roll: 'Roll key', shown: '#new-key' },
  { what: 'the secret of an app', ...FORMS[1]!, roll: 'Roll secret', shown: '#client-secret' },
];

describe.each(ROLLS)('rolling $what', ({ path, button, fields, roll, shown }) => {
  const openMade = async () => {
    const started = await start();
    const { visitor } = started;
    await visitor.open(path);
    await visitor.press(button, fields);
    const page = path.replace('new', '');
    const link = [...visitor.document.querySelectorAll('a')]
      .map((a) => a.getAttribute('href') ?? '')
      .find((href) => href.startsWith(page) && !href.endsWith('/snippet'));
    await visitor.open(link!);
    return { ...started, page: link! };
  };
  const shownBy = ({ document }: Visitor) => document.querySelector(shown)?.textContent;

  it('asks for no password within ten minutes after the sign-in', async () => {
    const { visitor, passSeconds } = await openMade();
    await passSeconds(570);
    await visitor.press(roll);
    expect([visitor.status, shownBy(visitor)]).toEqual([200, expect.stringMatching(/[\w-]{20}/)]);
  });

  it('asks for it later, and is done with what was chosen when it comes, once', async () => {
    const { visitor, passSeconds, page } = await openMade();
    await passSeconds(601);
    await visitor.press(roll, { overlap: '0' });
    expect([visitor.status, visitor.text.includes(ASKS)]).toEqual([403, true]);
    await visitor.press('Continue', { Password: 'not the password' });
    expect([visitor.status, shownBy(visitor)]).toEqual([422, undefined]);
    const { action, sent } = visitor.formOf('Continue');
    await visitor.press('Continue', { Password: PASSWORD });
    expect([visitor.status, shownBy(visitor)]).toEqual([200, expect.stringMatching(/[\w-]{20}/)]);
    expect(visitor.text).toContain('the old one stops at once');
    expect(visitor.response.body).not.toContain(PASSWORD);
    await visitor.post(action, { ...sent, confirm_password: PASSWORD });
    expect(visitor.location).toBe(`${page}?done=rolled-before`);
  });
});

describe('an app that exists', () => {
  const openMade = async () => {
    const started = await start();
    const { visitor, passSeconds, person } = started;
    const { path, button, fields } = FORMS[1]!;
    await visitor.open(path);
    await visitor.press(button, fields);
    await visitor.open(path.replace('new', visitor.document.querySelector('#client-id')!.textContent!));
    await passSeconds(601);
    const uris = async () => {
      const { rows } = await sql<{ uri: string }>`
        select uri from app_redirect_uris join apps using (client_id) where account_id = ${person.id} order by uri
      `.execute(db);
      return rows.map(({ uri }) => uri);
    };
    return { ...started, uris };
  };
  const [ONE, TWO] = ['https://one.example/cb', 'https://two.example/cb'];

  it('leads no code elsewhere before the password, and then does', async () => {
    const { visitor, uris } = await openMade();
    await visitor.press('Save', { 'Redirect URIs': `${ONE}\nhttps://thief.example/cb` });
    expect([visitor.status, visitor.text.includes(ASKS)]).toEqual([403, true]);
    expect(await uris()).toEqual([ONE, TWO]);
    await visitor.press('Continue', { Password: 'not the password' });
    expect([visitor.status, await uris()]).toEqual([422, [ONE, TWO]]);
    await visitor.press('Continue', { Password: PASSWORD });
    expect([visitor.status, await uris()]).toEqual([303, [ONE, 'https://thief.example/cb']]);
  });

  it('gets no device flow before the password', async () => {
    const { visitor } = await openMade();
    await visitor.press('Save', { device: 'yes' });
    expect([visitor.status, visitor.text.includes(ASKS)]).toEqual([403, true]);
  });

  it('is renamed, and loses a redirect URI, without it', async () => {
    const { visitor, uris } = await openMade();
    await visitor.press('Save', { Name: 'News', 'Redirect URIs': ONE });
    expect([visitor.status, await uris()]).toEqual([303, [ONE]]);
  });
});

describe.each([
  ['live', true],
  ['test', false],
])('a %s key that exists', (mode, isGuarded) => {
  const openMade = async () => {
    const started = await start();
    const { visitor, passSeconds, person } = started;
    const { path, button, fields } = FORMS[0]!;
    await visitor.open(path);
    await visitor.press(button, { ...fields, kind: 'public', mode, 'Trusted domains': 'one.example' });
    const { id } = await db
      .selectFrom('keys')
      .select('id')
      .where('account_id', '=', person.id)
      .executeTakeFirstOrThrow();
    await visitor.open(path.replace('new', id));
    await passSeconds(601);
    const domains = async () =>
      (await db.selectFrom('keys').select('trusted_domains').where('id', '=', id).executeTakeFirstOrThrow())
        .trusted_domains;
    return { ...started, domains, page: path.replace('new', id) };
  };
  const BOTH = ['one.example', 'thief.example'];

  it(`${isGuarded ? 'asks' : 'does not ask'} for the password before it trusts another page`, async () => {
    const { visitor, domains } = await openMade();
    await visitor.press('Save', { 'Trusted domains': BOTH.join('\n') });
    expect([visitor.status, await domains()]).toEqual(isGuarded ? [403, ['one.example']] : [303, BOTH]);
    if (!isGuarded) return;
    await visitor.press('Continue', { Password: PASSWORD });
    expect([visitor.status, await domains()]).toEqual([303, BOTH]);
  });

  it(`${isGuarded ? 'asks' : 'does not ask'} for it before it trusts a page that was refused`, async () => {
    const { visitor, domains, page } = await openMade();
    const { form_token } = visitor.formOf('Save').sent as { form_token: string };
    await visitor.post(`${page}/trust`, { form_token, from: 'https://thief.example' });
    expect([visitor.status, await domains()]).toEqual(isGuarded ? [403, ['one.example']] : [303, BOTH]);
  });

  it('is renamed without it', async () => {
    const { visitor, domains } = await openMade();
    await visitor.press('Save', { Name: 'Shop' });
    expect([visitor.status, await domains()]).toEqual([303, ['one.example']]);
  });
});

describe('the callback secret', () => {
  const SETTINGS = '/dashboard/settings';
  const secretsOf = async (person: { id: string }) => findCallbackSecrets(db, person.id);

  it('is on no page ten minutes after the sign-in, until the password comes', async () => {
    const { visitor, person, passSeconds } = await start();
    const [secret = ''] = await secretsOf(person);
    await passSeconds(601);
    expect((await visitor.open(SETTINGS)).response.body).not.toContain(secret);
    await visitor.press('Show the secret');
    expect([visitor.status, visitor.text.includes(ASKS)]).toEqual([403, true]);
    await visitor.press('Continue', { Password: 'not the password' });
    expect([visitor.status, visitor.response.body.includes(secret)]).toEqual([422, false]);
    await (await visitor.press('Continue', { Password: PASSWORD })).follow();
    const shown = visitor.document.querySelector('details[open] #callback-secret');
    expect([visitor.status, shown?.textContent]).toEqual([200, secret]);
  });

  it('is not rolled ten minutes after the sign-in, until the password comes', async () => {
    const { visitor, person, passSeconds } = await start();
    const [before] = await secretsOf(person);
    await visitor.open(SETTINGS);
    await passSeconds(601);
    await visitor.press('Roll the secret');
    expect([visitor.status, await secretsOf(person)]).toEqual([403, [before]]);
    await visitor.press('Continue', { Password: PASSWORD });
    expect(visitor.location).toBe(`${SETTINGS}?done=secret#said`);
    expect(await secretsOf(person)).toEqual([expect.not.stringMatching(before!), before]);
  });
});

it('counts wrong passwords like a sign-in, and refuses the right one during the pause', async () => {
  const { visitor, passSeconds } = await start();
  await passSeconds(601);
  await visitor.open('/dashboard/keys/new');
  const statuses: number[] = [];
  for (let tries = 0; tries < 10; tries += 1) {
    await visitor.press('Continue', { Password: 'x' });
    statuses.push(visitor.status);
  }
  await visitor.press('Continue', { Password: PASSWORD });
  expect([...statuses, visitor.status]).toEqual([...Array(10).fill(422), 429]);
});

it('asks after the time that the operator has set', async () => {
  const { visitor, passSeconds } = await start({ durations: { reauthenticate: 60 } });
  await passSeconds(61);
  expect((await visitor.open('/dashboard/keys/new')).text).toContain(ASKS);
});

it('signs nobody in whose session has ended', async () => {
  const { visitor, passSeconds, person, made } = await start();
  await passSeconds(601);
  await visitor.open('/dashboard/keys/new');
  await db.deleteFrom('sessions').where('account_id', '=', person.id).execute();
  await visitor.press('Continue', { Password: PASSWORD });
  expect([visitor.status, visitor.has('Sign in'), await made('keys')]).toEqual([403, true, 0]);
});
