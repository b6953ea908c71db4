import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../service/support/database.ts';
import { adminOn, createFolder } from './run-admin.ts';

const EMAIL = 'ada@example.com';
const OWNER = ['--email', EMAIL];
const PRIVATE = [...OWNER, '--kind', 'private', '--mode', 'test'];
const LIVE = [...OWNER, '--kind', 'private', '--mode', 'live'];
const PUBLIC = [...OWNER, '--kind', 'public', '--mode', 'test', '--trusted-domain', 'shop.example'];

const database = await testDatabase();
const admin = adminOn(database);
const folder = createFolder();
await admin.done('account', 'create', ...OWNER);

const create = (...flags: string[]) => admin.done('key', 'create', ...flags);
const list = () => admin.listed('key', 'list', ...OWNER);

/** Whether this value of a key works now. */
async function isUsable(key: string): Promise<boolean> {
  const row = await database.db
    .selectFrom('key_values')
    .innerJoin('keys', 'keys.id', 'key_values.key_id')
    .select(['expires_at', 'revoked_at'])
    .where('digest', '=', createHash('sha256').update(key).digest())
    .executeTakeFirst();
  // biome-ignore lint/plugin: an expiry of these tests has passed, or is a week away.
  return row !== undefined && row.revoked_at === null && (row.expires_at ?? new Date(9e14)) > new Date();
}

describe('key create', () => {
  it('prints a private key once', async () => {
    const made = await create(...OWNER, '--kind', 'private', '--mode', 'live', '--name', 'Server');
    expect(made).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
      key: expect.stringMatching(/^live_[A-Za-z0-9_-]{20,}$/),
      kind: 'private',
      mode: 'live',
      name: 'Server',
      trusted_domains: [],
      trusted_ips: [],
      captcha: null,
      siteverify_url: null,
      daily_credits: null,
    });
    expect(await isUsable(made.key)).toBe(true);
  });

  it('stores domains in their normal form, and every IP address', async () => {
    const { id } = await create(...PUBLIC, '--trusted-domain', 'BÜCHER.example.');
    const other = await create(...PRIVATE, '--trusted-ip', '192.0.2.0/24', '--trusted-ip=::1');
    const keys = await list();
    expect(keys.find((key) => key.id === id)?.trusted_domains).toEqual([
      'shop.example',
      'xn--bcher-kva.example',
    ]);
    expect(keys.find((key) => key.id === other.id)?.trusted_ips).toEqual(['192.0.2.0/24', '::1']);
  });

  it('stores the captcha and never prints its secret', async () => {
    const path = folder.write('captcha', 'hush-hush\n');
    const made = await create(
      ...[...PUBLIC, '--captcha', 'turnstile', '--captcha-secret-file', path],
      ...['--siteverify-url', 'http://127.0.0.1:9999/siteverify'],
    );
    expect(made).toMatchObject({
      captcha: 'turnstile',
      siteverify_url: 'http://127.0.0.1:9999/siteverify',
    });
    const stored = await database.db
      .selectFrom('keys')
      .select(['captcha_provider', 'captcha_secret', 'siteverify_url'])
      .where('id', '=', made.id)
      .executeTakeFirst();
    expect(stored).toEqual({
      captcha_provider: 'turnstile',
      captcha_secret: 'hush-hush',
      siteverify_url: 'http://127.0.0.1:9999/siteverify',
    });
    expect(JSON.stringify([made, await list()])).not.toContain('hush');
  });

  it('imports a key', async () => {
    const made = await create(...PRIVATE, '--key', 'test_12345678');
    expect(made.key).toBe('test_12345678');
    expect(await isUsable('test_12345678')).toBe(true);
  });

  it('imports a live key only if it is too long to guess', async () => {
    const value = `live_${'1'.repeat(20)}`;
    expect((await create(...LIVE, '--key', value)).key).toBe(value);
    const error = await admin.refused('key', 'create', ...LIVE, '--key', value.slice(0, -1));
    expect(error).toContain('live_ and 20 or more');
  });

  it('refuses a key that exists, and names --key but not the key', async () => {
    await create(...PRIVATE, '--key', 'test_twice_is_wrong');
    const error = await admin.refused('key', 'create', ...PRIVATE, '--key', 'test_twice_is_wrong');
    expect(error).toContain('--key');
    expect(error).not.toContain('twice');
  });

  it('refuses a key of the config file', async () => {
    const key = 'test_of_the_config';
    const config = folder.write('config.json', JSON.stringify({ keys: [{ key, kind: 'private' }] }));
    const error = await admin.refused('--config', config, 'key', 'create', ...PRIVATE, '--key', key);
    expect(error).toContain('--key');
    expect(await isUsable(key)).toBe(false);
  });

  it('imports a key once when two commands run at once', async () => {
    const imported = () => create(...PRIVATE, '--key', 'test_at_the_same_time');
    const results = await Promise.allSettled([imported(), imported()]);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  const captchaFile = folder.write('secret', 'hush-hush');
  const captcha = ['--captcha', 'turnstile', '--captcha-secret-file', captchaFile];
  it.each([
    [['--kind', 'private', '--mode', 'test'], '--email'],
    [[...OWNER, '--mode', 'test'], '--kind'],
    [[...OWNER, '--kind', 'private'], '--mode'],
    [[...OWNER, '--kind', 'secret', '--mode', 'test'], '"secret"'],
    [[...OWNER, '--kind', 'private', '--mode', 'beta'], '"beta"'],
    [[...OWNER, '--kind', 'public', '--mode', 'test'], '--trusted-domain'],
    [['--email', 'nobody@example.com', '--kind', 'private', '--mode', 'test'], 'nobody@example.com'],
    [[...PUBLIC, '--trusted-domain', 'https://shop.example/'], 'https://shop.example/'],
    [[...PUBLIC, '--trusted-domain', 'com'], '"com"'],
    [[...PUBLIC, '--trusted-domain', '*.shop.example'], '*.shop.example'],
    [[...PUBLIC, '--trusted-ip', '192.0.2.1'], '--trusted-ip'],
    [[...PRIVATE, '--trusted-ip', '192.0.2.300'], '192.0.2.300'],
    [[...PRIVATE, '--trusted-domain', 'shop.example'], '--trusted-domain'],
    [[...PRIVATE, '--key', 'test_1234567'], '--key'],
    [[...PRIVATE, '--key', `live_${'1'.repeat(20)}`], '--key'],
    [[...PRIVATE, '--key', 'prod_12345678'], '--key'],
    [[...PRIVATE, '--key', 'test_1234 5678'], '--key'],
    [[...PRIVATE, ...captcha], '--captcha'],
    [[...PUBLIC, '--captcha', 'turnstile'], '--captcha-secret-file'],
    [[...PUBLIC, '--captcha', 'friendly', '--captcha-secret-file', captchaFile], '"friendly"'],
    [[...PUBLIC, '--captcha', 'turnstile', '--captcha-secret-file', '/nowhere'], '--captcha-secret-file'],
    [[...PUBLIC, '--captcha-secret-file', captchaFile], '--captcha'],
    [[...PUBLIC, '--siteverify-url', 'https://captcha.example'], '--captcha'],
    [[...PUBLIC, ...captcha, '--siteverify-url', 'x'], '--siteverify-url'],
    [[...PUBLIC, ...captcha, '--siteverify-url', 'ftp://x'], 'ftp://x'],
  ])('refuses %j and creates nothing', async (flags, named) => {
    const before = (await list()).length;
    const error = await admin.refused('key', 'create', ...flags);
    expect(error).toContain(named);
    expect(error).not.toContain('hush');
    expect(await list()).toHaveLength(before);
  });
});

describe('key list', () => {
  it('prints an empty list without keys', async () => {
    await admin.done('account', 'create', '--email', 'grace@example.com');
    expect(await admin.done('key', 'list', '--email', 'grace@example.com')).toEqual([]);
  });

  it('shows at most the last 4 characters of a key', async () => {
    const { id, key } = await create(...PUBLIC, '--name', 'Shop');
    const found = (await list()).find((entry) => entry.id === id);
    expect(found).toEqual({
      id,
      kind: 'public',
      mode: 'test',
      name: 'Shop',
      last4: key.slice(-4),
      trusted_domains: ['shop.example'],
      trusted_ips: [],
      captcha: null,
      siteverify_url: null,
      daily_credits: null,
      created_at: expect.any(String),
      last_used_at: null,
      revoked_at: null,
    });
    expect(JSON.stringify(await list())).not.toContain(key.slice(-5));
  });

  it('refuses an unknown account', async () => {
    expect(await admin.refused('key', 'list', '--email', 'nobody@example.com')).toContain('nobody');
  });
});

describe('the credits of a day', () => {
  const SPENDER = [...OWNER, '--kind', 'public', '--mode', 'live', '--trusted-domain', 'shop.example'];

  it('are limited by key create, changed by key update, and recorded', async () => {
    const { id, daily_credits } = await create(...SPENDER, '--daily-credits', '500');
    expect(daily_credits).toBe(500);
    const changed = await admin.done('key', 'update', '--id', id, '--daily-credits', '20');
    expect(changed).toMatchObject({
      id,
      kind: 'public',
      trusted_domains: ['shop.example'],
      daily_credits: 20,
    });
    expect(changed).not.toHaveProperty('key');
    expect((await list()).find((key) => key.id === id)?.daily_credits).toBe(20);
    const unlimited = await admin.done('key', 'update', '--id', id, '--daily-credits', '0');
    expect(unlimited.daily_credits).toBeNull();
    const events = await database.db
      .selectFrom('audit')
      .select(['actor', 'action', 'details'])
      .where('subject_id', '=', id)
      .where('action', '=', 'key.change')
      .orderBy('id')
      .execute();
    expect(events).toEqual([
      { actor: 'operator', action: 'key.change', details: { daily_credits: 20 } },
      { actor: 'operator', action: 'key.change', details: { daily_credits: null } },
    ]);
  });

  it('are refused for a private key and for a test key', async () => {
    expect(await admin.refused('key', 'create', ...LIVE, '--daily-credits', '5')).toContain('--kind private');
    expect(await admin.refused('key', 'create', ...PUBLIC, '--daily-credits', '5')).toContain('test key');
    for (const [flags, named] of [
      [LIVE, 'private one'],
      [PUBLIC, 'test key'],
    ] as const) {
      const { id } = await create(...flags);
      expect(await admin.refused('key', 'update', '--id', id, '--daily-credits', '5')).toContain(named);
    }
  });

  it('are refused for an unknown key, and without a whole number', async () => {
    const flags = ['--id', 'key_unknown', '--daily-credits'];
    expect(await admin.refused('key', 'update', ...flags, '5')).toContain('key_unknown');
    expect(await admin.refused('key', 'update', ...flags, 'many')).toContain('"many"');
    expect(await admin.refused('key', 'create', ...SPENDER, '--daily-credits', '0')).toContain('"0"');
  });
});

describe('key roll', () => {
  it('replaces the value at once', async () => {
    const old = await create(...PRIVATE, '--name', 'Server', '--trusted-ip', '192.0.2.1');
    const rolled = await admin.done('key', 'roll', '--id', old.id);
    expect(rolled).toEqual({ ...old, key: expect.stringMatching(/^test_[A-Za-z0-9_-]{20,}$/) });
    expect(rolled.key).not.toBe(old.key);
    expect([await isUsable(old.key), await isUsable(rolled.key)]).toEqual([false, true]);
    expect((await list()).find((key) => key.id === old.id)?.last4).toBe(rolled.key.slice(-4));
  });

  it('keeps the old value for the time of --overlap', async () => {
    const old = await create(...PRIVATE);
    const rolled = await admin.done('key', 'roll', '--id', old.id, '--overlap', '604800');
    expect([await isUsable(old.key), await isUsable(rolled.key)]).toEqual([true, true]);
    await admin.done('key', 'roll', '--id', old.id, '--overlap', '0');
    expect(await isUsable(rolled.key)).toBe(false);
  });

  it.each([
    [['--overlap', '604801'], '--overlap'],
    [['--overlap', '-1'], '--overlap'],
    [['--overlap', 'week'], '"week"'],
  ])('refuses %j', async (flags, named) => {
    const { id, key } = await create(...PRIVATE);
    expect(await admin.refused('key', 'roll', '--id', id, ...flags)).toContain(named);
    expect(await isUsable(key)).toBe(true);
  });

  it('refuses an unknown key and a missing id', async () => {
    expect(await admin.refused('key', 'roll', '--id', 'key_unknown')).toContain('key_unknown');
    expect(await admin.refused('key', 'roll')).toContain('--id');
  });
});

describe('key revoke', () => {
  it('stops every value of the key, also one that still overlaps', async () => {
    const old = await create(...PRIVATE);
    const rolled = await admin.done('key', 'roll', '--id', old.id, '--overlap', '3600');
    expect(await admin.done('key', 'revoke', '--id', old.id)).toEqual({
      id: old.id,
      revoked_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect([await isUsable(old.key), await isUsable(rolled.key)]).toEqual([false, false]);
    expect((await list()).find((key) => key.id === old.id)?.revoked_at).toEqual(expect.any(String));
  });

  it('refuses to revoke or roll a revoked key', async () => {
    const { id } = await create(...PRIVATE);
    await admin.done('key', 'revoke', '--id', id);
    expect(await admin.refused('key', 'revoke', '--id', id)).toContain(id);
    expect(await admin.refused('key', 'roll', '--id', id)).toContain(id);
  });

  it('refuses an unknown key and a missing id', async () => {
    expect(await admin.refused('key', 'revoke', '--id', 'key_unknown')).toContain('key_unknown');
    expect(await admin.refused('key', 'revoke')).toContain('--id');
  });
});
