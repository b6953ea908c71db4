/** The page of a key: changing, trusting, rolling and revoking it. */
import { describe, expect, it } from 'vitest';
import type { RevealedKey } from '../../../../src/service/keys/key-store.ts';
import { changeKey, makeKey, stopKey } from '../../../../src/service/keys/manage/manage-keys.ts';
import { listOwnKeys } from '../../../../src/service/keys/manage/manage-keys-store.ts';
import { untilBlocked } from '../../support/blocked.ts';
import { testDatabase } from '../../support/database.ts';
import { storeKey } from '../../support/stored-service.ts';
import { makePerson, Visitor } from '../../support/visitor.ts';
import { fault, faultOf, KEY, KEYS, openKeys, textAt } from './world.ts';

const database = await testDatabase();
const { db, run } = database;

const PUBLIC = { kind: 'public', trusted_domains: ['shop.example', 'old.example'] } as const;
const SHOP = 'https://shop.example';
type Refusal = { reason: 'origin' | 'ip' | 'captcha'; seen_from: string; count?: number };

const refuse = (key_id: string, { count = 1, ...refusal }: Refusal) => {
  const times = { first_at: new Date(), last_at: new Date() };
  return db
    .insertInto('key_refusals')
    .values({ key_id, count, ...times, ...refusal })
    .execute();
};
const publicKey = () => ({ ...PUBLIC, trusted_domains: [...PUBLIC.trusted_domains] });

describe('changing', () => {
  it('takes effect, says so, and is in the audit log', async () => {
    const { visitor, openKey, keyOf, auditEvents, person } = await openKeys(db);
    const { id } = await openKey(publicKey());
    await visitor.press('Save', { Name: 'Store', 'Trusted domains': 'shop.example\nnew.example' });
    expect([visitor.status, visitor.location]).toEqual([303, `${KEYS}/${id}?done=changed`]);
    await visitor.follow();
    expect(textAt(visitor, '.done')).toContain('The key was changed.');
    const trusted_domains = ['shop.example', 'new.example'];
    expect(await keyOf(id)).toMatchObject({ name: 'Store', trusted_domains });
    expect(await auditEvents()).toEqual([
      {
        ...{ actor: 'owner', actor_name: person.email, action: 'key.change' },
        ...{ subject_id: id, subject_name: 'Store' },
        details: {
          ...{ name: 'Store', former_name: 'Shop' },
          ...{ domains_added: 'new.example', domains_removed: 'old.example' },
        },
      },
    ]);
  });

  it('says that nothing has changed, and writes nothing', async () => {
    const { visitor, openKey, auditEvents } = await openKeys(db);
    await openKey(publicKey());
    await (await visitor.press('Save')).follow();
    expect(textAt(visitor, '.done')).toContain('The key already had these settings.');
    expect(await auditEvents()).toEqual([]);
  });

  it('never takes the last domain from a public key', async () => {
    const { visitor, openKey, keyOf } = await openKeys(db);
    const { id } = await openKey(publicKey());
    await visitor.press('Save', { 'Trusted domains': '' });
    expect(fault(visitor)).toEqual(faultOf('at least one trusted domain', 'trusted_domains'));
    expect(textAt(visitor, '#problem')).toContain('The key was not changed.');
    expect((await keyOf(id)).trusted_domains).toEqual(PUBLIC.trusted_domains);
  });

  it('asks before a private key works from everywhere', async () => {
    const { visitor, openKey, keyOf, auditEvents } = await openKeys(db);
    const { id } = await openKey({ trusted_ips: ['192.0.2.1'] });
    await visitor.press('Save', { 'Trusted IP addresses': '' });
    expect(fault(visitor)).toEqual(faultOf('tick the box below', 'trusted_ips'));
    expect((await keyOf(id)).trusted_ips).toEqual(['192.0.2.1']);
    await visitor.press('Save', { any_ip: 'yes' });
    expect((await keyOf(id)).trusted_ips).toEqual([]);
    expect(await auditEvents()).toMatchObject([{ details: { ips_removed: '192.0.2.1' } }]);
  });

  it('replaces the secret of a captcha, keeps it, or takes the captcha away', async () => {
    const { visitor, openKey, keyOf, auditEvents } = await openKeys(db);
    const provider = { captcha_provider: 'turnstile', captcha_secret: 'first' } as const;
    const captcha = { ...provider, siteverify_url: 'http://own.test/' };
    const { id } = await openKey({ ...publicKey(), ...captcha });
    expect(visitor.response.body).not.toContain('first');
    await visitor.press('Save', { Name: 'Same secret' });
    expect(await keyOf(id)).toMatchObject({ name: 'Same secret', ...captcha });
    await visitor.follow();
    await visitor.press('Save', { 'Captcha secret': 'second', 'Siteverify URL': '' });
    expect(await keyOf(id)).toMatchObject({ captcha_secret: 'second', siteverify_url: null });
    await visitor.follow();
    // A secret belongs to one provider.
    await visitor.press('Save', { Captcha: 'hcaptcha' });
    expect(fault(visitor)[2]).toBe('captcha_secret');
    await visitor.press('Save', { Captcha: '', 'Captcha secret': '', 'Siteverify URL': '' });
    expect(await keyOf(id)).toMatchObject({ captcha_provider: null, captcha_secret: null });
    const details = (await auditEvents()).map((event) => event.details);
    expect(details.slice(1)).toEqual([
      { captcha_secret: 'replaced', siteverify_url: null },
      { captcha: null },
    ]);
    expect(JSON.stringify(details)).not.toContain('second');
  });

  it('limits the credits of a day of a live public key, and shows how many are spent', async () => {
    const { visitor, openKey, keyOf, auditEvents, person } = await openKeys(db);
    const { id } = await openKey({ ...publicKey(), mode: 'live' });
    await visitor.press('Save', { 'Credits a day': '1,000' });
    expect(fault(visitor)).toEqual(faultOf('a whole number of credits', 'daily_credits'));
    await visitor.press('Save', { 'Credits a day': '1000' });
    expect((await keyOf(id)).daily_credits).toBe(1000);
    await run`insert into key_spending values (${id}, ${person.id}, (now() at time zone 'UTC')::date, 800)`;
    expect((await visitor.follow()).text).toContain('800 of 1,000');
    await visitor.press('Save', { 'Credits a day': '' });
    expect((await keyOf(id)).daily_credits).toBeNull();
    const details = (await auditEvents()).map((event) => event.details);
    expect(details).toEqual([{ daily_credits: 1000 }, { daily_credits: null }]);
  });

  it('offers no limit of credits for a test key or a private key', async () => {
    const { visitor, openKey } = await openKeys(db);
    await openKey(publicKey());
    expect(visitor.text).not.toContain('Credits a day');
    await openKey({ mode: 'live' });
    expect(visitor.text).not.toContain('Credits a day');
  });

  it('undoes no change that was made since the page was opened', async () => {
    const { visitor, openKey, keyOf, person } = await openKeys(db);
    const { id } = await openKey(publicKey());
    const stricter = { trusted_domains: ['shop.example'], trusted_ips: [], name: 'Shop' };
    const none = { captcha_provider: null, captcha_secret: null, siteverify_url: null, daily_credits: null };
    await changeKey(db, { kind: 'owner', name: person.email }, { id }, () => ({ ...stricter, ...none }));
    await visitor.press('Save', { Name: 'Other' });
    expect(fault(visitor).slice(0, 2)).toEqual([422, expect.stringContaining('changed since you opened')]);
    expect(await keyOf(id)).toMatchObject({ name: 'Shop', trusted_domains: ['shop.example'] });
    await visitor.press('Save', { 'Trusted domains': 'shop.example' });
    expect(await keyOf(id)).toMatchObject({ name: 'Other', trusted_domains: ['shop.example'] });
  });
});

describe('a refusal', () => {
  it('is shown with what can be done, and is over once its domain is trusted', async () => {
    const { visitor, openKey, keyOf, auditEvents, statusOf } = await openKeys(db);
    const { id, key } = await openKey(publicKey());
    await refuse(id, { reason: 'origin', seen_from: 'https://www.new.example:8443', count: 12 });
    await visitor.open(KEYS);
    expect(textAt(visitor, '.refused')).toBe('refused 12 times');
    await visitor.open(`${KEYS}/${id}`);
    expect(textAt(visitor, '#refusals')).toContain(
      'by a page of https://www.new.example:8443, 12 times, last',
    );
    await (await visitor.press('Trust www.new.example')).follow();
    expect(textAt(visitor, '.done')).toContain('The key was changed.');
    expect(visitor.document.querySelector('#refusals')).toBeNull();
    expect((await keyOf(id)).trusted_domains).toEqual([...PUBLIC.trusted_domains, 'www.new.example']);
    expect(await statusOf(key, 'https://www.new.example')).toBe(200);
    expect(await auditEvents()).toMatchObject([
      { action: 'key.change', details: { domains_added: 'www.new.example' } },
    ]);
    await visitor.open(KEYS);
    expect(visitor.document.querySelector('.refused')).toBeNull();
  });

  it('is shown on the page of its key, however many others have had since', async () => {
    const { visitor, openKey } = await openKeys(db);
    const [{ id }, other] = [await openKey(publicKey()), await openKey(publicKey())];
    await refuse(id, { reason: 'origin', seen_from: 'https://early.example' });
    await run`
      insert into key_refusals (key_id, reason, seen_from, count, first_at, last_at)
      select ${other.id}, 'origin', 'https://late-' || number || '.example', 1, now(), now() + interval '1 hour'
      from generate_series(1, 1000) as number
    `;
    await visitor.open(`${KEYS}/${id}`);
    expect(textAt(visitor, '#refusals')).toContain('by a page of https://early.example');
    expect(visitor.document.querySelectorAll('#refusals li')).toHaveLength(1);
  });

  it('of an IP address can be trusted as well', async () => {
    const { visitor, openKey, keyOf } = await openKeys(db);
    const { id } = await openKey({ trusted_ips: ['192.0.2.1'] });
    await refuse(id, { reason: 'ip', seen_from: '2001:db8::1' });
    await visitor.open(`${KEYS}/${id}`);
    expect(textAt(visitor, '#refusals')).toContain('from 2001:db8::1, once, last');
    await visitor.press('Trust 2001:db8::1');
    expect((await keyOf(id)).trusted_ips).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  it('offers nothing where trust would help everybody, or nobody', async () => {
    const { visitor, openKey } = await openKeys(db);
    const { id } = await openKey(publicKey());
    const from: Refusal[] = [
      { reason: 'origin', seen_from: 'https://co.uk' },
      { reason: 'origin', seen_from: 'null' },
      { reason: 'origin', seen_from: '' },
      { reason: 'captcha', seen_from: SHOP },
      { reason: 'captcha', seen_from: '' },
    ];
    for (const refusal of from) await refuse(id, refusal);
    await visitor.open(`${KEYS}/${id}`);
    expect(visitor.document.querySelectorAll('#refusals li')).toHaveLength(from.length);
    expect(textAt(visitor, '#refusals')).toContain('by a program, or by a page without an origin, once');
    expect(textAt(visitor, '#refusals')).toContain(
      'without a solved captcha, from https://shop.example, once',
    );
    expect(visitor.document.querySelectorAll('#refusals button')).toHaveLength(0);
  });

  it.each(['https://co.uk', 'not an origin', ''])(
    'changes nothing for a forged form that trusts %j',
    async (from) => {
      const { visitor, openKey, keyOf } = await openKeys(db);
      const { id } = await openKey(publicKey());
      await visitor.post(`${KEYS}/${id}/trust`, { ...visitor.formOf('Save').sent, from });
      expect(visitor.location).toBe(`${KEYS}/${id}`);
      expect((await keyOf(id)).trusted_domains).toEqual(PUBLIC.trusted_domains);
    },
  );
});

describe('rolling', () => {
  it('shows the new value once, and the old one works as long as chosen', async () => {
    const { visitor, openKey, statusOf, auditEvents } = await openKeys(db);
    const { id, key, last4 } = await openKey(publicKey());
    await visitor.press('Roll key', { overlap: '3600' });
    const rolled = textAt(visitor, '#new-key')!;
    expect(rolled).toMatch(KEY);
    expect(textAt(visitor, '.done')).toContain('the old one works for another hour. Copy the new value now');
    expect(textAt(visitor, '#snippet')).toContain(rolled);
    expect([await statusOf(key, SHOP), await statusOf(rolled, SHOP)]).toEqual([200, 200]);
    const details = { last4: rolled.slice(-4), former_last4: last4, overlap_seconds: 3600 };
    expect(await auditEvents()).toMatchObject([{ action: 'key.roll', details }]);
    await visitor.open(KEYS);
    expect(textAt(visitor, '.state')).toBe('old value works');
    await visitor.open(`${KEYS}/${id}`);
    expect(visitor.text).toContain(`The old value test_…${last4} works until`);
    expect(visitor.response.body).not.toContain(rolled);
    await (await visitor.press('End old values now')).follow();
    expect(textAt(visitor, '.done')).toBe('The old value no longer works.');
    expect(visitor.has('End old values now')).toBe(false);
    const ended = { action: 'key.change', details: { former_values_ended: 1 } };
    expect((await auditEvents())[1]).toMatchObject(ended);
    // Within a second: what was found a moment ago is held.
    await expect.poll(() => statusOf(key, SHOP)).toBe(403);
    expect(await statusOf(rolled, SHOP)).toBe(200);
  });

  it('rolls once, however often the form is sent', async () => {
    const { visitor, openKey, statusOf } = await openKeys(db);
    const { id } = await openKey(publicKey());
    const { action, sent } = visitor.formOf('Roll key');
    await visitor.post(action, { ...sent, overlap: '0' });
    const rolled = textAt(visitor, '#new-key')!;
    await visitor.post(action, { ...sent, overlap: '0' });
    expect(visitor.location).toBe(`${KEYS}/${id}?done=rolled-before`);
    await visitor.follow();
    expect(textAt(visitor, '.done')).toContain('The key was already rolled');
    expect(await statusOf(rolled, SHOP)).toBe(200);
  });

  it('refuses an overlap that it does not offer', async () => {
    const { visitor, openKey, auditEvents } = await openKeys(db);
    await openKey(publicKey());
    await visitor.press('Roll key', { overlap: '99999999' });
    expect(fault(visitor)).toEqual(faultOf('Choose how long the old value', 'overlap'));
    expect(visitor.valueOf('Name')).toBe('Shop');
    expect(await auditEvents()).toEqual([]);
  });

  it('ends nothing, and writes nothing, when no old value works', async () => {
    const { visitor, openKey, auditEvents } = await openKeys(db);
    const { id } = await openKey();
    await visitor.post(`${KEYS}/${id}/end-old`, visitor.formOf('Save').sent);
    expect([visitor.location, await auditEvents()]).toEqual([`${KEYS}/${id}?done=ended`, []]);
  });
});

describe('revoking', () => {
  it('stops the key in every process, and leaves it to be read only', async () => {
    const { visitor, openKey, statusOf, auditEvents } = await openKeys(db);
    const { id, key } = await openKey(publicKey());
    expect(textAt(visitor, 'details.danger')).toContain('It was never used. Pages of 2 domains may use it.');
    const { sent } = visitor.formOf('Save');
    expect((await visitor.press('Revoke key')).location).toBe(`${KEYS}?done=revoked`);
    await visitor.follow();
    expect(textAt(visitor, '.done')).toContain('The key was revoked.');
    expect(textAt(visitor, 'details.folded summary')).toBe('Revoked keys (1)');
    expect(await auditEvents()).toMatchObject([{ action: 'key.revoke', subject_name: 'Shop' }]);
    const other = await openKeys(database.connect());
    expect(await other.statusOf(key, SHOP)).toBe(403);
    await expect.poll(() => statusOf(key, SHOP)).toBe(403);
    await visitor.open(`${KEYS}/${id}`);
    expect(visitor.document.querySelectorAll('main form')).toHaveLength(0);
    expect(visitor.text).toContain('A revoked key cannot be restored.');
    for (const path of ['', '/roll', '/revoke', '/trust', '/end-old']) {
      await visitor.post(`${KEYS}/${id}${path}`, { ...sent, name: 'Back', overlap: '0', from: SHOP });
      expect(visitor.location, path).toBe(`${KEYS}/${id}`);
    }
    expect(await auditEvents()).toHaveLength(1);
    expect((await visitor.open(`${KEYS}/${id}/snippet`)).status).toBe(404);
  });

  it('says when it was used', async () => {
    const { visitor, openKey } = await openKeys(db);
    const { id } = await openKey({ kind: 'public', trusted_domains: ['shop.example'] });
    await run`update keys set last_used_at = '2026-01-02T03:04:00Z' where id = ${id}`;
    await visitor.open(`${KEYS}/${id}`);
    const said = 'It was last used 2 Jan 2026, 03:04 UTC. Pages of 1 domain may';
    expect(textAt(visitor, 'details.danger')).toContain(said);
  });

  it('is not undone by a change, a roll or an end that comes at the same moment', async () => {
    const { openKey, person } = await openKeys(db);
    const actor = { kind: 'owner', name: person.email } as const;
    const { id } = await openKey();
    expect(await stopKey(db, actor, { id, accountId: 'acc_other' })).toBeUndefined();
    expect(await stopKey(db, actor, { id })).toBeInstanceOf(Date);
    expect(await stopKey(db, actor, { id })).toBeUndefined();
    expect(await changeKey(db, actor, { id }, () => 'conflict')).toBe('no such key');
  });

  it('leaves 100 small rows of a key that is made and revoked 300 times', async () => {
    const { id: account_id } = await makePerson(db);
    const key = {
      ...({ account_id, kind: 'public', mode: 'live', name: 'Shop' } as const),
      ...{ trusted_domains: ['shop.example', 'old.example'], trusted_ips: ['192.0.2.1'] },
      ...({ captcha_provider: 'turnstile', captcha_secret: 'x'.repeat(40) } as const),
    };
    for (let made = 0; made < 300; made += 1) {
      const { id } = (await makeKey(db, { kind: 'operator' }, key)) as RevealedKey;
      if (made === 0) await run`insert into key_spending values (${id}, ${account_id}, '2026-01-02', 1)`;
      await stopKey(db, { kind: 'operator' }, { id });
    }
    const { revoked } = await listOwnKeys(db, account_id);
    const rows = await db.selectFrom('keys').selectAll().where('account_id', '=', account_id).execute();
    expect(rows.map(({ id }) => id).sort()).toEqual(revoked.map(({ id }) => id).sort());
    expect(rows).toHaveLength(100);
    const emptied = { trusted_ips: [], captcha_secret: null, siteverify_url: null };
    for (const row of rows) expect(row).toMatchObject({ trusted_domains: ['shop.example'], ...emptied });
    const spending = await run`select from key_spending where account_id = ${account_id}`;
    expect(spending.rows).toEqual([]);
  });
});

it.each([
  ['change', '', { name: 'Other' }],
  ['trust', '/trust', { from: 'https://new.example' }],
  ['roll', '/roll', { overlap: '0' }],
  ['second revocation', '/revoke', {}],
])('leaves a key alone that is revoked during its %s', async (_what, path, fields) => {
  const { visitor, openKey, keyOf, auditEvents } = await openKeys(db);
  const { id } = await openKey(publicKey());
  const { sent } = visitor.formOf('Save');
  const { since = '' } = visitor.formOf('Roll key').sent;
  const revocation = await database.connect().startTransaction().execute();
  await stopKey(revocation, { kind: 'operator' }, { id });
  const posted = visitor.post(`${KEYS}/${id}${path}`, { ...sent, since, ...fields });
  await untilBlocked(db);
  await revocation.commit().execute();
  await posted;
  expect(visitor.document.querySelector('#new-key')).toBeNull();
  expect(await keyOf(id)).toMatchObject({ name: 'Shop', trusted_domains: ['shop.example'] });
  expect(await auditEvents()).toMatchObject([{ actor: 'operator', action: 'key.revoke' }]);
});

it('takes a form without its fields for one that is wrong', async () => {
  const { visitor, openKey, auditEvents } = await openKeys(db);
  const { id } = await openKey(publicKey());
  const { form_token, seen } = visitor.formOf('Save').sent as { form_token: string; seen: string };
  for (const fields of [{}, { seen }]) {
    expect((await visitor.post(`${KEYS}/${id}`, { form_token, ...fields })).status).toBe(422);
  }
  expect((await visitor.post(`${KEYS}/${id}/roll`, { form_token })).status).toBe(422);
  await visitor.post(`${KEYS}/${id}/roll`, { form_token, overlap: '0' });
  expect(visitor.location).toBe(`${KEYS}/${id}?done=rolled-before`);
  await visitor.post(`${KEYS}/${id}/trust`, { form_token });
  expect(visitor.status).toBe(303);
  expect((await visitor.post(`${KEYS}/new`, { form_token })).status).toBe(422);
  expect(await auditEvents()).toEqual([]);
});

describe('the snippet', () => {
  it.each([
    ['test', 'Type deliverable@example.com or undeliverable@example.com into your form'],
    [
      'live',
      'Type an email address of your own into your form to see it at work. Each result costs one credit.',
    ],
  ] as const)('tells the owner of a %s key what can be typed with this key', async (mode, hint) => {
    const { visitor, openKey } = await openKeys(db);
    const { id } = await openKey({ ...publicKey(), mode });
    await visitor.open(`${KEYS}/${id}/snippet`);
    expect(visitor.text).toContain(hint);
    expect(visitor.text.includes('deliverable@example.com')).toBe(mode === 'test');
    expect(visitor.text).not.toContain('with a test key');
  });

  it('has the chosen options, and only the end of the key', async () => {
    const { visitor, openKey } = await openKeys(db, { demoFolder: 'demo' });
    const { id, last4, key } = await openKey(publicKey());
    const allow = { states: 'deliverable', role: 'warn', free: 'false', disposable: 'true' };
    const others = { verifyOn: 'blur', locale: 'de', method: 'POST' };
    await visitor.open(`${KEYS}/${id}/snippet?${new URLSearchParams({ ...allow, ...others })}`);
    expect(textAt(visitor, '#snippet')).toBe(`<script async src="http://localhost/v2/"
  data-api-key="test_…${last4}"
  data-allow='{"states":["deliverable"],"role":"warn","free":false,"disposable":true}'
  data-verify-on="blur"
  data-method="POST"></script>
<script async src="http://localhost/v2/locales/de.js"></script>`);
    expect(visitor.response.body).not.toContain(key);
    expect(visitor.valueOf('When to verify')).toBe('blur');
    const link = visitor.document.querySelector('main a[href*="playground"]')!.getAttribute('href')!;
    expect(Object.fromEntries(new URLSearchParams(link.replace(/.*#/, '')))).toEqual({
      ...Object.fromEntries(Object.entries(allow).map(([name, value]) => [`allow.${name}`, value])),
      ...others,
    });
  });

  it('takes nothing else from the address', async () => {
    const { visitor, openKey } = await openKeys(db);
    const { id } = await openKey({ ...publicKey(), mode: 'live' });
    await visitor.open(
      `${KEYS}/${id}/snippet?locale=%22%3E%3Cscript%3E&role=constructor&states=all&method=GET&method=POST`,
    );
    expect(textAt(visitor, '#snippet')).toMatch(
      /^<script async src="http:\/\/localhost\/v2\/"\n {2}data-api-key="live_…\w{4}"><\/script>$/,
    );
    expect(visitor.document.querySelector('main a[href*="playground"]')).toBeNull();
  });

  it('is for public keys', async () => {
    const { visitor, openKey } = await openKeys(db);
    const { id } = await openKey();
    expect((await visitor.open(`${KEYS}/${id}/snippet`)).status).toBe(404);
  });
});

describe('the list', () => {
  it('says what to do first, and then where each key works', async () => {
    const { visitor, openKey, person } = await openKeys(db);
    await visitor.open(KEYS);
    expect(textAt(visitor, '.empty h2')).toBe('Create your first key');
    const captcha = { captcha_provider: 'hcaptcha', captcha_secret: 'x' } as const;
    await openKey({ ...PUBLIC, trusted_domains: ['a.example', 'b.example', 'c.example'], ...captcha });
    await storeKey(db, person.id, { trusted_ips: ['192.0.2.1'] });
    const { id, last4 } = await storeKey(db, person.id, { mode: 'live' });
    await visitor.open(KEYS);
    expect(visitor.text).toContain('a.example, b.example and 1 more, with hCaptcha');
    expect(visitor.text).toContain('192.0.2.1');
    expect(visitor.text).toContain('every IP address');
    expect(textAt(visitor, `a[href$="${id}"]`)).toBe(`Key live_…${last4}`);
    expect((await visitor.open(`${KEYS}/${id}`)).text).toContain('none, so it works from every IP address');
    await visitor.open(`${KEYS}?done=revoked&done=x`);
    expect(visitor.document.querySelector('.done')).toBeNull();
  });

  it('warns at the page of a key whose domain is shared', async () => {
    const { visitor, openKey } = await openKeys(db);
    await openKey({ kind: 'public', trusted_domains: ['github.io'] });
    expect(textAt(visitor, '.warning')).toContain('Anyone can publish a page under github.io');
  });
});

it('answers for a key of another account as for one that does not exist', async () => {
  const { visitor, app, openKey, keyOf, auditEvents, statusOf } = await openKeys(db);
  const { id, key } = await openKey(publicKey());
  const owner = visitor.formOf('Save').sent;
  const stranger = await new Visitor(app).signIn(await makePerson(db));
  const { form_token } = (await stranger.open(KEYS)).formOf('Sign out').sent as { form_token: string };
  const answers = new Set<string>();
  for (const name of [id, 'key_0123456789abcdef01234567', "key_'", '%00', 'x'.repeat(90)]) {
    for (const path of ['', '/snippet']) {
      await stranger.open(`${KEYS}/${name}${path}`);
      answers.add(`${stranger.status} ${textAt(stranger, 'main')}`);
    }
    for (const path of ['', '/roll', '/revoke', '/trust', '/end-old']) {
      await stranger.post(`${KEYS}/${name}${path}`, { ...owner, form_token, from: SHOP, overlap: '0' });
      answers.add(`${stranger.status} ${textAt(stranger, 'main')}`);
    }
  }
  expect([...answers]).toEqual([expect.stringContaining('404')]);
  expect(await keyOf(id)).toMatchObject({ name: 'Shop', revoked_at: null });
  expect([await auditEvents(), await statusOf(key, SHOP)]).toEqual([[], 200]);
});
