/** Making a key, as a person at a browser without scripts does it. */
import { describe, expect, it } from 'vitest';
import { OWN_SITEVERIFY_URLS } from '../../../../src/service/captcha/captcha-providers.ts';
import { testDatabase } from '../../support/database.ts';
import { makePerson, Visitor } from '../../support/visitor.ts';
import { fault, KEY, KEYS, openKeys, textAt } from './world.ts';

const { db } = await testDatabase();

const NEW = `${KEYS}/new`;
const PUBLIC = { Name: 'Newsletter', 'Trusted domains': 'shop.example\n\n  BÜCHER.example.\r\nshop.example' };
const PRIVATE = { Name: 'Server', kind: 'private' };

async function openForm(
  ...options: Parameters<typeof openKeys> extends [unknown, ...infer Rest] ? Rest : never
) {
  const world = await openKeys(db, ...options);
  await world.visitor.open(NEW);
  const keysOf = () => db.selectFrom('keys').selectAll().where('account_id', '=', world.person.id).execute();
  return { ...world, keysOf };
}

describe('a public key', () => {
  it('is shown once with its snippet, and works on its pages at once', async () => {
    const { visitor, keysOf, statusOf } = await openForm({ publicUrl: 'http://verify.example' });
    await visitor.press('Create key', PUBLIC);
    expect(visitor.status).toBe(200);
    expect(textAt(visitor, '.done')).toBe('The key was created. Copy it now: it is not shown again.');
    const key = textAt(visitor, '#new-key')!;
    expect(key).toMatch(KEY);
    expect(textAt(visitor, '#snippet')).toBe(
      `<script async src="http://verify.example/v2/"\n  data-api-key="${key}"></script>`,
    );
    expect(visitor.text).toContain('on shop.example and xn--bcher-kva.example.');
    expect(await statusOf(key, 'https://www.shop.example')).toBe(200);
    expect(await statusOf(key, 'https://evil.example')).toBe(403);
    const [stored] = await keysOf();
    expect(stored).toMatchObject({
      ...{ name: 'Newsletter', kind: 'public', mode: 'test', captcha_provider: null },
      trusted_domains: ['shop.example', 'xn--bcher-kva.example'],
    });
    expect((await visitor.open(`${KEYS}/${stored!.id}`)).response.body).not.toContain(key);
  });

  it('has a captcha whose secret no page shows again', async () => {
    const { visitor, keysOf } = await openForm();
    await visitor.press('Create key', {
      ...PUBLIC,
      ...{
        Captcha: 'recaptcha',
        'Captcha secret': 'hush-hush',
        'Siteverify URL': OWN_SITEVERIFY_URLS.recaptcha[1]!,
      },
    });
    const pattern = /^<script defer src="\S+\/v2\/captcha\/recaptcha-v3\.js" data-sitekey/;
    expect(textAt(visitor, '#snippet')).toMatch(pattern);
    expect(visitor.text).toContain('For reCAPTCHA v2, load recaptcha-v2.js instead.');
    const [stored] = await keysOf();
    expect(stored).toMatchObject({
      ...{ captcha_provider: 'recaptcha', captcha_secret: 'hush-hush' },
      siteverify_url: OWN_SITEVERIFY_URLS.recaptcha[1],
    });
    await visitor.open(`${KEYS}/${stored!.id}`);
    expect(visitor.response.body).not.toContain('hush-hush');
    expect(visitor.text).toContain('A secret is stored.');
  });

  it('gets a warning if its domain is shared', async () => {
    const { visitor } = await openForm();
    await visitor.press('Create key', { ...PUBLIC, 'Trusted domains': 'github.io' });
    expect(textAt(visitor, '.warning')).toContain('Anyone can publish a page under github.io');
  });

  it('leads to the playground, with the key if it works there', async () => {
    const { visitor } = await openForm({ demoFolder: 'demo' });
    await visitor.press('Create key', PUBLIC);
    const link = () => visitor.document.querySelector('main a[href*="playground"]')?.getAttribute('href');
    expect(link()).toBe('/playground/');
    await visitor.open(NEW);
    await visitor.press('Create key', { ...PUBLIC, 'Trusted domains': 'localhost' });
    expect(link()).toBe(`/playground/#apiKey=${textAt(visitor, '#new-key')}`);
  });
});

describe('a private key', () => {
  it('is shown once with a command that works', async () => {
    const { visitor, statusOf, keysOf } = await openForm();
    await visitor.press('Create key', { ...PRIVATE, 'Trusted IP addresses': '192.0.2.1\n2001:db8::/32' });
    const key = textAt(visitor, '#new-key')!;
    expect(textAt(visitor, '#command')).toBe(
      `curl -H 'Authorization: Bearer ${key}' \\\n  'http://localhost/v1/verify?email=deliverable@example.com'`,
    );
    expect(visitor.document.querySelector('#snippet')).toBeNull();
    expect(await statusOf(key, undefined, '192.0.2.1')).toBe(200);
    expect(await statusOf(key, undefined, '192.0.2.2')).toBe(403);
    expect((await keysOf())[0]).toMatchObject({ trusted_ips: ['192.0.2.1', '2001:db8::/32'] });
  });

  it('can be a live one, which costs credits', async () => {
    const { visitor } = await openForm({ verifier: () => Promise.reject(new Error('not asked')) });
    expect(visitor.text).toContain('Each result costs one credit.');
    await visitor.press('Create key', { ...PRIVATE, mode: 'live' });
    expect(textAt(visitor, '#new-key')).toMatch(/^live_/);
    expect(textAt(visitor, '#command')).toContain('you@your-domain.example');
  });
});

it('makes one key, however often the form is sent', async () => {
  const { visitor, keysOf } = await openForm();
  const { action, sent } = visitor.formOf('Create key');
  const filled = { ...sent, name: 'Once', trusted_domains: 'shop.example' };
  await visitor.post(action, filled);
  const key = textAt(visitor, '#new-key')!;
  await visitor.post(action, filled);
  expect([visitor.status, visitor.location]).toEqual([303, `${KEYS}/${sent.id}?done=exists`]);
  await visitor.follow();
  expect(textAt(visitor, '.done')).toContain('This key already exists. Its value was shown once.');
  expect(visitor.response.body).not.toContain(key);
  expect(await keysOf()).toHaveLength(1);
});

it('makes one key of a form that is sent twice at once', async () => {
  const { visitor, keysOf, auditEvents } = await openForm();
  const { action, sent } = visitor.formOf('Create key');
  const filled = { ...sent, name: 'Once', trusted_domains: 'shop.example' };
  const tabs = [1, 2, 3].map(() => visitor.copy().post(action, filled));
  const statuses = (await Promise.all(tabs)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 303, 303]);
  expect([(await keysOf()).length, (await auditEvents()).length]).toEqual([1, 1]);
});

it('shows and changes nothing of another account whose key has that id', async () => {
  const { visitor, app, keysOf } = await openForm();
  const { action, sent } = visitor.formOf('Create key');
  await visitor.post(action, { ...sent, name: 'Mine', trusted_domains: 'shop.example' });
  const stranger = await new Visitor(app).signIn(await makePerson(db));
  const own = (await stranger.open(NEW)).formOf('Create key').sent;
  await stranger.post(action, { ...own, id: sent.id!, name: 'Theirs', trusted_domains: 'evil.example' });
  const taken = fault(stranger);
  expect(stranger.formOf('Create key').sent.id).not.toBe(sent.id);
  await stranger.post(action, { ...own, id: 'nonsense', name: 'Theirs', trusted_domains: 'evil.example' });
  // Whether another account has the key cannot be asked.
  expect(taken).toEqual(fault(stranger));
  expect(taken[0]).toBe(422);
  expect(await keysOf()).toMatchObject([{ name: 'Mine' }]);
});

it('writes who made it into the audit log, without its value', async () => {
  const { visitor, person, auditEvents, keysOf } = await openForm();
  await visitor.press('Create key', PUBLIC);
  const { id } = (await keysOf())[0]!;
  const key = textAt(visitor, '#new-key')!;
  expect(await auditEvents()).toEqual([
    {
      ...{ actor: 'owner', actor_name: person.email, action: 'key.create' },
      ...{ subject_id: id, subject_name: 'Newsletter' },
      details: { kind: 'public', mode: 'test', last4: key.slice(-4) },
    },
  ]);
});

it.each([
  ['a URL of a page', 'https://Shop.example/cart?x=1#top', ['shop.example']],
  ['a slash at the end', 'shop.example/', ['shop.example']],
  ['a port', 'http://shop.example:8080 [::1]:3000 localhost:5173', ['shop.example', '[::1]', 'localhost']],
  [
    'commas, blanks and semicolons',
    'a.example, b.example;c.example\td.example',
    ['a', 'b', 'c', 'd'].map((name) => `${name}.example`),
  ],
  ['capitals and the same again', 'SHOP.example\nshop.example.', ['shop.example']],
])('takes domains as people paste them: %s', async (_what, pasted, expected) => {
  const { visitor, keysOf } = await openForm();
  expect((await visitor.press('Create key', { Name: 'Pasted', 'Trusted domains': pasted })).status).toBe(200);
  const [stored] = await keysOf();
  expect(stored!.trusted_domains).toEqual(expected);
});

describe('a form that is wrong', () => {
  async function expectRefused(fields: Record<string, string>, field: string | null, message: RegExp) {
    const { visitor, keysOf } = await openForm();
    await visitor.press('Create key', { ...PUBLIC, ...fields });
    const [status, problem, wrong] = fault(visitor);
    expect([status, wrong ?? null]).toEqual([422, field]);
    expect(problem).toMatch(message);
    expect(problem).toContain('No key was created.');
    const typed = fields['Trusted domains'] ?? PUBLIC['Trusted domains'];
    expect(visitor.valueOf('Trusted domains')?.trim().split(/\s+/)).toEqual(typed.trim().split(/\s+/));
    if (field) {
      const described = visitor.document.querySelector('[aria-invalid]')!.getAttribute('aria-describedby');
      expect(described).toMatch(/^problem\b/);
    }
    expect(await keysOf()).toEqual([]);
  }

  it.each([
    ['no domain', ' \n', /at least one trusted domain/],
    [
      'entries that are not domains, each of them',
      'ok.example, a@b.example\nco.uk\n\nmailto:x 192.0.2.0/24',
      /^Line 1 has no host name: "a@b\.example"\. .* line 2 .*"co\.uk".* Line 4 has no host name: "mailto:x"\. .* Line 4 has no host name: "192\.0\.2\.0\/24"\. /,
    ],
    [
      'more entries that are not domains than a sentence can name',
      'a@b '.repeat(13),
      /3 more entries are wrong, in line 1\. No key was created\.$/,
    ],
    [
      'the lines of entries beyond those that a sentence can name',
      `${'a@b '.repeat(10)}\n\na@b\nok.example\na@b\na@b a@b`,
      /4 more entries are wrong, in the lines 3, 5 and 6\. No key was created\.$/,
    ],
    [
      'some of many lines',
      'a@b\n'.repeat(30),
      /20 more entries are wrong, in the lines 11, .*, 19, 20 and later ones\. No key was created\.$/,
    ],
    ['a public suffix', 'co.uk', /under which anyone can register/],
    ['too many domains', Array.from({ length: 101 }, (_, at) => `a${at}.example`).join('\n'), /at most 100/],
  ])('makes no key, and keeps what was typed: %s', (_what, domains, message) =>
    expectRefused({ 'Trusted domains': domains }, 'trusted_domains', message),
  );

  const ADDRESSES = 'Trusted IP addresses';
  const PRIVATE_ONLY = { kind: 'private', 'Trusted domains': '' };
  const HCAPTCHA = { Captcha: 'hcaptcha', 'Captcha secret': 'x' };
  it.each<[string, Record<string, string>, string | null, RegExp]>([
    ['no name', { Name: ' ' }, 'name', /Type a name/],
    ['a name that is too long', { Name: 'x'.repeat(201) }, 'name', /at most 200 characters, got 201/],
    ['a name that no database can store', { Name: 'a\0b' }, 'name', /without control characters/],
    ['a name with an unseen character', { Name: 'Shop\u202e' }, 'name', /got U\+202E\. Type another/],
    [
      'every wrong IP address',
      { ...PRIVATE_ONLY, [ADDRESSES]: '192.0.2.1 x\ny' },
      'trusted_ips',
      /line 1 .*"x".* line 2 .*"y"/,
    ],
    [
      'IP addresses on a public key',
      { [ADDRESSES]: '192.0.2.1' },
      'trusted_ips',
      /A public key cannot have trusted IP addresses/,
    ],
    [
      'domains on a private key',
      { kind: 'private' },
      'trusted_domains',
      /A private key cannot have trusted domains, captchas and limits of credits/,
    ],
    [
      'what is not an IP address',
      { ...PRIVATE_ONLY, [ADDRESSES]: '192.0.2.0/33' },
      'trusted_ips',
      /line 1 of the trusted IP addresses to be an IP address/,
    ],
    ['a captcha without a secret', { Captcha: 'hcaptcha' }, 'captcha_secret', /Enter the secret/],
    ['a secret of two lines', { ...HCAPTCHA, 'Captcha secret': 'a\nb' }, 'captcha_secret', /in one line/],
    ['a secret without a captcha', { 'Captcha secret': 'x' }, 'captcha', /Choose the captcha provider/],
    [
      'an unknown captcha',
      { Captcha: 'constructor', 'Captcha secret': 'x' },
      'captcha',
      /Choose Turnstile, hCaptcha or reCAPTCHA/,
    ],
    [
      'an internal siteverify URL',
      { ...HCAPTCHA, 'Siteverify URL': 'http://169.254.169.254/' },
      'siteverify_url',
      /Expected a URL of the provider/,
    ],
    [
      "another provider's siteverify URL",
      { ...HCAPTCHA, 'Siteverify URL': OWN_SITEVERIFY_URLS.turnstile[0]! },
      'siteverify_url',
      /Expected a URL of the provider/,
    ],
    ['neither public nor private', { kind: 'x' }, null, /Choose a public or a private key/],
    ['neither test nor live', { mode: 'x' }, null, /Choose a test or a live key/],
    ['no id', { id: 'key_x' }, null, /The form was incomplete/],
  ])('makes no key, and keeps what was typed: %s', (_what, fields, field, message) =>
    expectRefused(fields, field, message),
  );

  it('can be mended and sent again', async () => {
    const { visitor, keysOf } = await openForm();
    await visitor.press('Create key', { ...PUBLIC, Name: '' });
    await visitor.press('Create key', { Name: 'Mended' });
    expect(textAt(visitor, '#new-key')).toMatch(KEY);
    expect(await keysOf()).toMatchObject([{ name: 'Mended' }]);
  });

  it('lets the captcha be checked anywhere if the operator lets callbacks go anywhere, but not with a password', async () => {
    const { visitor, keysOf } = await openForm({ callbacks: { allowPrivateAddresses: true } });
    const captcha = { ...PUBLIC, Captcha: 'turnstile', 'Captcha secret': 'x' };
    for (const url of ['http://user:x@127.0.0.1/', 'file:///etc/passwd', `http://x/${'x'.repeat(2_000)}`]) {
      await visitor.press('Create key', { ...captcha, 'Siteverify URL': url });
      expect(fault(visitor)[2], url).toBe('siteverify_url');
    }
    await visitor.press('Create key', { ...captcha, 'Siteverify URL': 'http://127.0.0.1:9/verify' });
    expect(await keysOf()).toMatchObject([{ siteverify_url: 'http://127.0.0.1:9/verify' }]);
  });
});

it('refuses more keys than anybody needs', async () => {
  const { visitor, person } = await openForm();
  const row = { account_id: person.id, kind: 'private', mode: 'test' } as const;
  const rows = Array.from({ length: 200 }, (_, at) => ({ ...row, id: `key_${at}_${person.id}` }));
  await db.insertInto('keys').values(rows).execute();
  await visitor.press('Create key', PUBLIC);
  expect(fault(visitor).slice(0, 2)).toEqual([422, expect.stringContaining('at most 200 keys')]);
});

it('changes nothing for a form of another site, or without a session', async () => {
  const { visitor, keysOf, person } = await openForm();
  const { action, sent } = visitor.formOf('Create key');
  const filled = { ...sent, name: 'X', trusted_domains: 'shop.example' };
  expect((await visitor.post(action, { ...filled, form_token: 'x' })).status).toBe(403);
  await visitor.post(action, filled, { headers: { origin: 'https://evil.example' } });
  expect(visitor.status).toBe(403);
  await db.deleteFrom('sessions').where('account_id', '=', person.id).execute();
  await visitor.post(action, filled);
  expect([visitor.status, visitor.has('Sign in')]).toEqual([403, true]);
  expect(await keysOf()).toEqual([]);
});
