/** Names, and what mail servers say, are text on every page: they are crawled with markup in each of them. */
import { expect, it } from 'vitest';
import type { Verifier } from '../../../src/engine/verifier.ts';
import { makeKey, stopKey } from '../../../src/service/keys/manage/manage-keys.ts';
import { setOwnerEmail } from '../../../src/service/people/accounts/account-store.ts';
import { setMember } from '../../../src/service/people/members/member-store.ts';
import { openWorld as openOAuth } from '../oauth/world.ts';
import { testDatabase } from '../support/database.ts';
import { addPasskey } from '../support/factors.ts';
import { resultOf } from '../support/stored-service.ts';
import { arrive, makePerson, PASSWORD, Visitor } from '../support/visitor.ts';

const { db } = await testDatabase();

/** Ends an attribute, an element and a text, and begins a formula. */
const hostile = (what: string) =>
  `=${what}"'></a></td></bdi></title><img src=x onerror=alert(1)><script>alert(1)</script>&lt;&#x3c;`;
const NAMES = { key: hostile('key'), old: hostile('old'), app: hostile('app'), batch: hostile('batch') };
const REPLY = hostile('reply');

const verifier: Verifier = async ({ address }) => ({
  result: await resultOf(address, { mx_record: REPLY, smtp_provider: REPLY }),
  evidence: [
    { atMs: 0, tookMs: 1, stage: 'dns', server: REPLY, text: REPLY },
    { atMs: 1, tookMs: 1, stage: 'rcpt', server: REPLY, code: 550, text: REPLY, rule: REPLY },
    { atMs: 2, stage: 'verdict', rule: REPLY, text: REPLY },
  ],
});

/** What no page of ours has, and each hostile text would make. */
const MADE = 'img[src="x"], script:not([src]), [onerror], bdi bdi img';

function expectNothingMade({ document }: Visitor, url: string): void {
  const made = [...document.querySelectorAll(MADE)].map(({ outerHTML }) => outerHTML);
  expect(made, url).toEqual([]);
}

/** Opens every page of the service that leads from one to the next, and the files. */
async function crawl(visitor: Visitor, from: readonly string[]) {
  const pages = new Map<string, string>();
  const files = new Map<string, string>();
  const waiting = [...from];
  for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
    if (pages.has(url) || files.has(url)) continue;
    await visitor.open(url);
    const { headers, body } = visitor.response;
    if (!/^text\/html/.test(String(headers['content-type']))) {
      files.set(url, body);
      continue;
    }
    pages.set(url, visitor.text);
    expectNothingMade(visitor, url);
    expect(String(headers['content-security-policy']), url).not.toContain("script-src 'unsafe-inline'");
    for (const link of visitor.document.querySelectorAll('a[href]')) {
      const target = link.getAttribute('href')!.replace(/#.*$/, '');
      if (/^\/dashboard/.test(target)) waiting.push(target);
    }
  }
  return { pages, files };
}

it('shows names of keys, apps and batches, and replies of mail servers, as text on every page and in every file', async () => {
  const world = await openOAuth(db, { verifier });
  const { app, ask } = world;
  const { person, visitor } = await arrive({ app }, db, 100);
  const actor = { kind: 'owner', name: NAMES.key } as const;
  const make = async (name: string, kind: 'private' | 'public') => {
    const trusted_domains = kind === 'public' ? ['shop.example'] : [];
    const row = { account_id: person.id, name, kind, mode: 'test', trusted_domains } as const;
    const key = await makeKey(db, actor, row);
    if (key === 'exists') throw new Error('the test has this key already');
    return key;
  };
  const [key, old] = [await make(NAMES.key, 'private'), await make(NAMES.old, 'private')];
  const page = await make(NAMES.key, 'public');
  await stopKey(db, actor, { accountId: person.id, id: old.id });
  // A refusal by origin, a use, and a batch that the key creates.
  for (const origin of ['https://<img src=x onerror=alert(1)>', 'https://evil.test'])
    await ask({ url: `/v1/verify?api_key=${page.key}&email=a@b.example`, headers: { origin } });
  const payload = { emails: [NAMES.batch, 'risky@example.com'] };
  const headers = { authorization: `Bearer ${key.key}` };
  await ask({ method: 'POST', url: '/v1/batch', headers, payload });
  await db.updateTable('batches').set({ name: NAMES.batch }).where('account_id', '=', person.id).execute();
  await world.flushUsage();

  // An app of the person, and its consent page.
  const client = await world.makeApp({ accountId: person.id, name: NAMES.app, isPublic: true });
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: 'https://app.example/callback' },
    ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
  });
  const consent = `/oauth/authorize?${query}`;
  await visitor.open(consent);
  await visitor.press('Allow');

  // The page of a device, which names the app too.
  const device = await world.deviceOf(client);
  await visitor.open(device.verification_uri);
  await visitor.press('Continue', { Code: device.user_code });
  expectNothingMade(visitor, '/oauth/device');
  expect(visitor.text).toContain(NAMES.app);

  // A list that waits, named after its file.
  await visitor.open('/dashboard/batches/new');
  // A browser sends no folder, so the name has no slash.
  const file = '<img src=x onerror=alert(1)>&lt;.csv';
  await visitor.upload('Upload', { name: file, bytes: Buffer.from('a@b.example') });
  const list = visitor.location!;

  // The result page, with the evidence.
  await visitor.open('/dashboard/verify');
  await visitor.press('Verify', { 'Email address': `"${'<img src=x>'}"@example.org` });
  const result = visitor.location;
  const { pages, files } = await crawl(visitor, [
    ...['/dashboard/', '/dashboard/keys', '/dashboard/apps', '/dashboard/audit', '/dashboard/usage'],
    ...['/dashboard/batches', '/dashboard/settings', '/dashboard/security/since?day=2020-01-01'],
    ...[consent, list, ...(result ? [result] : [])],
  ]);

  const shows = (name: string) => [...pages].filter(([, text]) => text.includes(name)).map(([url]) => url);
  expect(shows(NAMES.key)).toEqual(
    expect.arrayContaining(['/dashboard/keys', '/dashboard/audit', `/dashboard/keys/${key.id}`]),
  );
  expect(shows(NAMES.old)).toEqual(expect.arrayContaining(['/dashboard/audit', `/dashboard/keys/${old.id}`]));
  expect(shows(NAMES.app)).toEqual(expect.arrayContaining([consent, '/dashboard/apps']));
  expect(shows(NAMES.batch)).toEqual(expect.arrayContaining(['/dashboard/batches']));
  expect(shows(file)).toEqual(expect.arrayContaining([list, '/dashboard/batches/new']));
  expect(shows(REPLY)).toEqual([result]);
  expect(pages.size).toBeGreaterThan(12);

  // Every cell that a spreadsheet would run begins with an apostrophe.
  expect([...files.keys()].filter((url) => url.includes('audit'))).not.toEqual([]);
  for (const [url, text] of files) expect(text, url).not.toMatch(/(^|[,;\t\n])"?[=@]/m);
});

it('shows addresses of people, names of passkeys and browsers, and the address of an account as text', async () => {
  const { app } = await openOAuth(db);
  const addressOf = (what: string) => `"${what}<img src=x onerror=alert(1)>"@example.org`;
  const IMAGE = '<img src=x onerror=alert(1)>';
  const owner = await makePerson(db);
  const other = await makePerson(db);
  await setOwnerEmail(db, other.id, other.email, addressOf('account'));
  await setMember(db, other.id, owner.personId, 'admin');
  const agent = { headers: { 'user-agent': `${IMAGE} Firefox/140.0` } };
  await new Visitor(app, agent).signIn(owner);
  const visitor = await new Visitor(app, agent).signIn(owner);
  await visitor.open('/dashboard/security');
  await visitor.press('Change email address', {
    'New email address': addressOf('owner'),
    'New email address again': addressOf('owner'),
    'Your password': PASSWORD,
  });
  await addPasskey(visitor, IMAGE);
  await visitor.open('/dashboard/security');
  await visitor.press('Rename', { 'New name': `${IMAGE}2` });
  const invite = async (email: string) => {
    await visitor.open('/dashboard/members');
    await visitor.press('Invite', { Email: email, Role: 'viewer' });
    expectNothingMade(visitor, 'invite');
    return new URL(visitor.document.querySelector('#invitation-link')!.textContent!).pathname;
  };
  const link = await invite(addressOf('member'));
  const guest = await new Visitor(app, agent).open(link);
  expect(guest.text).toContain(addressOf('owner'));
  expectNothingMade(guest, link);
  await guest.press('Accept', { Password: PASSWORD });
  expectNothingMade(guest, link);
  await invite(addressOf('guest'));
  await visitor.open('/dashboard/settings/address');
  await visitor.press('Look up', { 'Email address': addressOf('guest') });
  expect(visitor.text).toContain('An invitation as a viewer');
  expectNothingMade(visitor, 'look up');

  const { pages, files } = await crawl(visitor, [
    ...['/dashboard/members', '/dashboard/security', '/dashboard/account', '/dashboard/audit'],
    ...['/dashboard/security/totp', '/dashboard/security/since?day=2020-01-01'],
  ]);
  const shows = (text: string) => [...pages].filter(([, all]) => all.includes(text)).map(([url]) => url);
  for (const [text, url] of [
    [addressOf('member'), '/dashboard/members'],
    [addressOf('guest'), '/dashboard/members'],
    [addressOf('account'), '/dashboard/account'],
    [addressOf('owner'), '/dashboard/audit'],
    [`${IMAGE}2`, '/dashboard/security'],
    [`${IMAGE}2`, '/dashboard/audit'],
  ] as const)
    expect([text, shows(text)]).toEqual([text, expect.arrayContaining([url])]);
  for (const [url, text] of files) expect(text, url).not.toMatch(/(^|[,;\t\n])"?[=@]/m);
});
