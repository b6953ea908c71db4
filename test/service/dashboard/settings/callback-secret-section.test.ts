/** The callback secret: shown, rolled with an overlap, and signing. */
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { webhookHeaders } from '../../../../src/service/core/webhook-signature.ts';
import {
  findCallbackSecrets,
  forgetFormerSecrets,
} from '../../../../src/service/people/accounts/account-store.ts';
import { testDatabase } from '../../support/database.ts';
import type { Visitor } from '../../support/visitor.ts';
import { deedsOf, doneMessage, openSettings } from './person.ts';

const { db, run } = await testDatabase();

const shown = ({ document }: Visitor) => document.querySelector('#callback-secret')!.textContent!;
async function roll(visitor: Visitor) {
  await visitor.open('/dashboard/settings');
  expect((await visitor.press('Roll the secret')).location).toBe('/dashboard/settings?done=secret#said');
  await visitor.open('/dashboard/settings?done=secret');
  return shown(visitor);
}

it('is shown only when it is asked for', async () => {
  const { visitor, person } = await openSettings(db);
  const secret = visitor.document.querySelector('#callback-secret')!;
  expect(secret.closest('details')!.hasAttribute('open')).toBe(false);
  expect(await findCallbackSecrets(db, person.id)).toEqual([secret.textContent]);
  expect(visitor.text).not.toContain('The old secret also signs');
});

it('signs twice for 24 hours after a roll, so that a receiver with either secret takes the callback', async () => {
  const { visitor, person } = await openSettings(db);
  const before = shown(visitor);
  const after = await roll(visitor);
  expect(after).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(doneMessage(visitor)).toContain('new callback secret');
  expect(visitor.text).toContain('The old secret also signs callbacks until');
  const secrets = await findCallbackSecrets(db, person.id);
  expect(secrets).toEqual([after, before]);
  const signers = secrets.map((secret) => new Webhook(secret));
  const headers = webhookHeaders(signers, 'msg_1', new Date(), '{}');
  for (const secret of secrets) expect(new Webhook(secret).verify('{}', { ...headers })).toEqual({});
  const other = `whsec_${Buffer.from('another').toString('base64')}`;
  expect(() => new Webhook(other).verify('{}', { ...headers })).toThrow();
  const { rows } = await sql<{ hours: number }>`
    select extract(epoch from former_callback_secret_until - clock_timestamp()) / 3600 as hours
    from accounts where id = ${person.id}
  `.execute(db);
  expect(Math.round(Number(rows[0]!.hours))).toBe(24);
  expect(await deedsOf(db, person.id)).toMatchObject([
    { action: 'settings.callback-secret', details: { change: 'rolled' } },
  ]);
});

it('keeps the latest two only', async () => {
  const { visitor, person } = await openSettings(db);
  const first = shown(visitor);
  const second = await roll(visitor);
  expect(visitor.text).toContain('The old secret from before stops at once.');
  const third = await roll(visitor);
  expect(new Set([first, second, third]).size).toBe(3);
  expect(await findCallbackSecrets(db, person.id)).toEqual([third, second]);
});

it('ends the old secret on request, once', async () => {
  const { visitor, person } = await openSettings(db);
  const after = await roll(visitor);
  const { action, sent } = visitor.formOf('End the old secret now');
  await visitor.post(action, sent);
  await visitor.post(action, sent);
  expect(await findCallbackSecrets(db, person.id)).toEqual([after]);
  await visitor.open('/dashboard/settings?done=former-secret');
  expect(doneMessage(visitor)).toBe('The old callback secret no longer signs callbacks.');
  expect(visitor.has('End the old secret now')).toBe(false);
  expect((await deedsOf(db, person.id)).map(({ details }) => details)).toEqual([
    { change: 'rolled' },
    { change: 'old one ended' },
  ]);
});

it('ends the old secret after its time, and deletes it', async () => {
  const { visitor, person } = await openSettings(db);
  const after = await roll(visitor);
  await forgetFormerSecrets(db);
  expect(await findCallbackSecrets(db, person.id)).toHaveLength(2);
  await run`
    update accounts set former_callback_secret_until = clock_timestamp() where id = ${person.id}
  `;
  expect(await findCallbackSecrets(db, person.id)).toEqual([after]);
  expect((await visitor.open('/dashboard/settings')).has('End the old secret now')).toBe(false);
  await forgetFormerSecrets(db);
  const { rows } = await run`select former_callback_secret from accounts where id = ${person.id}`;
  expect(rows).toEqual([{ former_callback_secret: null }]);
  expect(await findCallbackSecrets(db, 'acc_unknown')).toEqual([]);
});
