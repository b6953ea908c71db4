import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Schema } from '../../src/service/database/schema.ts';
import { makeAccount } from '../service/support/account.ts';
import { testDatabase } from '../service/support/database.ts';
import { adminOn } from './run-admin.ts';

const database = await testDatabase();
const { db } = database;
const admin = adminOn(database);

/** Stores a payment that began at this hour of a day. */
async function store(account: string, hour: number, more: Partial<Schema['payments']> = {}): Promise<string> {
  const id = randomUUID();
  const asked_at = new Date(Date.UTC(2026, 10, 26, hour));
  const { credits = null, outcome = null, ended_at = null, needed = 5 } = more;
  await db
    .insertInto('payments')
    .values({ id, account, needed, asked_at, tries: 2, credits, outcome, ended_at })
    .execute();
  return id;
}

it('lists payments, the newest first, and shows one', async () => {
  expect(await admin.listed('payment', 'list')).toEqual([]);
  const [one, two] = [await makeAccount(db), await makeAccount(db)];
  const ended_at = new Date(Date.UTC(2026, 10, 26, 9));
  const credited = await store(one, 8, { outcome: 'credited', credits: 10, ended_at });
  const refused = await store(two, 9, { outcome: 'refused', ended_at });
  const open = await store(one, 10);
  const ids = async (...flags: string[]) =>
    (await admin.listed('payment', 'list', ...flags)).map(({ id }) => id);
  expect(await ids()).toEqual([open, refused, credited]);
  expect(await ids('--open')).toEqual([open]);
  expect(await ids('--email', `${one}@EXAMPLE.com`)).toEqual([open, credited]);
  expect(await ids('--email', `${two}@example.com`, '--open')).toEqual([]);
  expect(await ids('--limit', '1')).toEqual([open]);
  expect(await admin.done('payment', 'show', '--id', credited)).toEqual({
    ...{ id: credited, account: one, owner_email: `${one}@example.com`, needed: 5, tries: 2 },
    ...{ asked_at: '2026-11-26T08:00:00.000Z', ended_at: '2026-11-26T09:00:00.000Z' },
    ...{ outcome: 'credited', credits: 10 },
  });
  expect(await admin.done('payment', 'show', '--id', open)).toMatchObject({
    ...{ outcome: null, credits: null, ended_at: null },
  });
});

it('shows a payment by its webhook-id, as the billing service knows it', async () => {
  const id = await store(await makeAccount(db), 7, { outcome: 'refused', ended_at: new Date() });
  expect(await admin.done('payment', 'show', '--id', `msg_${id}`)).toMatchObject({ id, outcome: 'refused' });
});

it('refuses an unknown payment and an unknown account', async () => {
  expect(await admin.refused('payment', 'show', '--id', 'no payment')).toContain('"no payment"');
  expect(await admin.refused('payment', 'list', '--email', 'nobody@example.com')).toContain('--email');
});

it('counts open payments among the jobs', async () => {
  await store(await makeAccount(db), 11);
  const { waiting } = (await admin.done('jobs')) as unknown as { waiting: object[] };
  expect(waiting).toContainEqual({
    ...{ what: 'payments', count: 2, since: '2026-11-26T10:00:00.000Z' },
    in_words: expect.stringMatching(
      /^2 payments wait for your billing service\. The oldest began .* ago\. "payment list --open" shows each\.$/,
    ),
  });
});
