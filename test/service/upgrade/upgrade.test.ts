/**
 * This version starts on the database of a released one, which was killed in the middle of its work, and goes on.
 * `make-fixture.mjs` says how the databases were made.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { auditNext } from '../../../src/service/books/audit-night.ts';
import { readAudit } from '../../../src/service/books/night-store.ts';
import { settleLive } from '../../../src/service/config/sections/live-section.ts';
import { MIGRATIONS, migrationsOf } from '../../../src/service/database/migrate.ts';
import { startWorld } from '../../engine/world/world.ts';
import { expectExactBooks } from '../support/books.ts';
import { testDatabase } from '../support/database.ts';
import { describeSchema } from '../support/describe-schema.ts';
import { PATIENTLY } from '../support/patience.ts';
import { runService } from '../support/running-service.ts';
import { restoreRelease } from './restore-release.ts';

vi.setConfig({ expect: { poll: { ...PATIENTLY, interval: 100 } } });

const HERE = 'test/service/upgrade';
const RELEASES = readdirSync(HERE).flatMap((name) => /^(.+)\.backup$/.exec(name)?.[1] ?? []);

/** The secrets that the release has shown, and what it answered. */
interface Shown {
  readonly password: string;
  readonly keys: Readonly<Record<'test' | 'live' | 'public' | 'old' | 'new', string>>;
  readonly batches: Readonly<Record<'small' | 'undelivered' | 'large' | 'open', string>>;
  readonly cookies: readonly (readonly [string, string])[];
  readonly client: Readonly<Record<'client_id' | 'client_secret' | 'redirect_uri', string>>;
  readonly tokens: { readonly access_token: string; readonly refresh_token: string };
  readonly unusedCode: string;
  readonly device: { readonly device_code: string };
}

it('has the database of a release', () => {
  expect(RELEASES).not.toEqual([]);
});

it.each(RELEASES)(
  'goes on with the database of the release that ended with migration %s',
  async (release) => {
    const database = await testDatabase(onTestFinished, { empty: true });
    const current = await testDatabase(onTestFinished);
    const { db } = database;
    const shown: Shown = JSON.parse(readFileSync(`${HERE}/${release}.json`, 'utf8'));
    const rows = await restoreRelease(db, release);
    expect((await migrationsOf(db)).at(-1)).toBe(release);
    await db
      .updateTable('callbacks')
      .set({ due_at: sql`clock_timestamp()` })
      .where('due_at', 'is not', null)
      .execute();
    // Otherwise a migration could fail over rows that there were none of.
    expect(Object.entries(rows).filter(([, count]) => count === 0)).toEqual([]);

    const world = await startWorld({ 'accepted.test': { catchAll: true } });
    onTestFinished(() => world.close());
    const perHost = { connections: 10, perMinute: 10_000 };
    // A process does the same, and gives back only every five seconds what a dead one has left.
    const service = runService(database.url, {
      live: settleLive({ ...world.live, dns: [...world.live.dns], perHost }, '/'),
      callbacks: { allowPrivateAddresses: true },
      durations: { callbackGiveUp: 315_360_000 },
      publicUrl: undefined,
    });
    const address = await service.listen();
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(address + path, { headers, redirect: 'manual' });
    const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });
    const statusOf = async (id: string, key = shown.keys.test) =>
      (await (await get(`/v1/batch?id=${id}`, bearer(key))).json()) as Record<string, unknown>;
    const post = async (
      path: string,
      fields: Record<string, string>,
      headers: Record<string, string> = {},
    ) => {
      const response = await fetch(address + path, {
        ...{ method: 'POST', headers, body: new URLSearchParams(fields) },
      });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };
    await expect.poll(async () => (await get('/readyz')).status).toBe(200);

    expect(await migrationsOf(db)).toEqual(Object.keys(MIGRATIONS));
    expect(await describeSchema(db)).toBe(await describeSchema(current.db));

    // Keys, of which one was rolled and still overlaps.
    const { test, live, old, new: rolled } = shown.keys;
    for (const key of [test, live, old, rolled])
      expect(await (await get('/v1/account', bearer(key))).json()).toMatchObject({
        owner_email: 'ada@example.com',
      });
    const ofVisitor = `/v1/verify?email=jane@accepted.test&api_key=${shown.keys.public}`;
    expect((await get(ofVisitor, { Origin: 'https://shop.example' })).status).toBe(200);
    expect((await get(ofVisitor, { Origin: 'https://other.example' })).status).toBe(403);

    // Batches that were complete, and the one that its process left.
    expect(await statusOf(shown.batches.small)).toMatchObject({
      emails: [{ email: 'ada@example.com' }, { email: 'role@example.com' }],
      total_counts: { processed: 3, duplicate: 1 },
    });
    const { download_file } = await statusOf(shown.batches.large);
    expect((await get(new URL(download_file as string).pathname)).status).toBe(200);
    await expect
      .poll(() => statusOf(shown.batches.open))
      .toMatchObject({ message: 'Batch verification completed.', total_counts: { processed: 30 } });
    const triesOf = async (id: string) =>
      (await db.selectFrom('callback_tries').select('number').where('batch_id', '=', id).execute()).length;
    await expect.poll(() => triesOf(shown.batches.undelivered)).toBeGreaterThan(1);
    expect(await triesOf(shown.batches.small)).toBe(1);

    // The person is still signed in, and the app still has its permission.
    const cookie = shown.cookies.map((pair) => pair.join('=')).join('; ');
    const appsOf = async (headers: Record<string, string>) => (await get('/dashboard/apps', headers)).text();
    expect(await appsOf({ Cookie: cookie })).toContain('Shop');
    expect(await appsOf({})).toContain('Sign in');
    // The owner of the account is a person by now, and signs in with the same password.
    const form = await get('/login');
    const own = form.headers
      .getSetCookie()
      .map((text) => text.replace(/;.*/, ''))
      .join('; ');
    const form_token = /name="form_token" value="([^"]+)"/.exec(await form.text())![1]!;
    const signIn = (password: string) =>
      fetch(`${address}/login`, {
        ...{ method: 'POST', redirect: 'manual', headers: { Cookie: own } },
        body: new URLSearchParams({ form_token, email: 'Ada@example.com', password }),
      });
    expect((await signIn('another password')).status).toBe(422);
    const signedIn = await signIn(shown.password);
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/dashboard/']);
    const { rows: people } = await sql`
      select persons.email, role, accounts.password_hash from persons join members on person_id = persons.id
        join accounts on accounts.id = account_id
    `.execute(db);
    expect(people).toEqual([{ email: 'ada@example.com', role: 'owner', password_hash: '' }]);
    const { redirect_uri, ...client } = shown.client;
    expect((await get('/v1/account', bearer(shown.tokens.access_token))).status).toBe(200);
    const { refresh_token } = shown.tokens;
    expect(
      await post('/oauth/token', { grant_type: 'refresh_token', refresh_token, ...client }),
    ).toMatchObject({ status: 200 });
    const code = { grant_type: 'authorization_code', code: shown.unusedCode, redirect_uri };
    expect(await post('/oauth/token', { ...code, ...client })).toMatchObject({ status: 200 });
    expect(await post('/oauth/token', { ...code, ...client })).toMatchObject({ status: 400 });
    const device = {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: shown.device.device_code,
    };
    expect(await post('/oauth/token', { ...device, client_id: client.client_id })).toMatchObject({
      body: { error: 'authorization_pending' },
    });

    // What the killed process had begun is finished or given back, and every credit is in the ledger.
    await expect
      .poll(
        async () =>
          (await db.selectFrom('verifications').select('id').where('state', '=', 'running').execute()).length,
      )
      .toBe(0);
    await expectExactBooks(db);
    const accounts = await db.selectFrom('accounts').select('available_credits').execute();
    expect(accounts.map(({ available_credits }) => available_credits)).toEqual([
      ((await (await get('/v1/account', bearer(live))).json()) as { available_credits: number })
        .available_credits,
    ]);
    await service.stop();
    // The first night takes over the counts by day, which the release did not write with the results.
    await sql`update book_audit set due_at = clock_timestamp()`.execute(db);
    while (await auditNext(db, () => {}));
    expect(await readAudit(db)).toMatchObject({ difference_count: 0 });
    await expectExactBooks(db);
  },
);
