/** For how long results are kept, as the owner sets it. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { completeBatch, findBatch, storeResults } from '../../../../src/service/batch/batch-store.ts';
import { toBatchResult } from '../../../../src/service/batch/result-fields.ts';
import { createBatch } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { DEPS } from '../../support/deps.ts';
import { resultOf } from '../../support/result.ts';
import type { Visitor } from '../../support/visitor.ts';
import { deedsOf, doneMessage, openSettings, problemOf } from './person.ts';

const { db, run } = await testDatabase();

/** A batch that is completed, and was so many hours ago. */
async function completed(accountId: string, hoursAgo = 0) {
  const { id } = await createBatch(db, 1, { mode: 'live', accountId });
  await storeResults(db, id, [{ place: 0, result: toBatchResult(resultOf('u0@d0.example')) }]);
  await completeBatch(db, id, DEPS.settings.durations);
  await run`update batches set completed_at = completed_at - make_interval(hours => ${hoursAgo}),
    expires_at = expires_at - make_interval(hours => ${hoursAgo}) where id = ${id}`;
  return id;
}
async function hoursLeft(id: string): Promise<number> {
  const { rows } = await sql<{ hours: number }>`
    select extract(epoch from expires_at - clock_timestamp()) / 3600 as hours from batches where id = ${id}
  `.execute(db);
  return Math.round(Number(rows[0]!.hours));
}
const save = async (visitor: Visitor, fields: Record<string, string>) => {
  await visitor.open('/dashboard/settings');
  return visitor.press('Save', fields);
};
const chosen = ({ document }: Visitor) =>
  document.querySelector('[name=keep][checked]')!.getAttribute('value');

it('keeps results as long as the service does until the owner says otherwise', async () => {
  const { visitor, person } = await openSettings(db);
  expect(chosen(visitor)).toBe('service');
  expect(visitor.text).toContain('30 days, and 5 days for batches of more than 1,000 entries');
  expect(await hoursLeft(await completed(person.id))).toBe(720);
});

it('keeps the results of later batches for the shorter time', async () => {
  const { visitor, person } = await openSettings(db);
  await save(visitor, { keep: '24' });
  expect(visitor.location).toBe('/dashboard/settings?done=retention#said');
  await visitor.open('/dashboard/settings?done=retention');
  expect([doneMessage(visitor), chosen(visitor)]).toEqual(['Saved. Results are kept for 1 day.', '24']);
  expect(await hoursLeft(await completed(person.id))).toBe(24);
  expect(await deedsOf(db, person.id)).toMatchObject([
    { action: 'settings.retention', details: { hours: 24, batches_ended: 0 } },
  ]);
  await save(visitor, { keep: 'other', hours: ' 100 ' });
  await visitor.open('/dashboard/settings');
  expect([chosen(visitor), visitor.valueOf('Hours')]).toEqual(['other', '100']);
  // Large batches are kept for five days at most.
  expect(await hoursLeft(await completed(person.id))).toBe(100);
  await save(visitor, { keep: 'service' });
  expect(await hoursLeft(await completed(person.id))).toBe(720);
});

it('shortens what is completed already, and never lengthens it', async () => {
  const { visitor, person } = await openSettings(db);
  const stranger = await openSettings(db);
  const [own, other] = [await completed(person.id, 2), await completed(stranger.person.id, 2)];
  await save(visitor, { keep: '24' });
  expect([await hoursLeft(own), await hoursLeft(other)]).toEqual([22, 718]);
  await save(visitor, { keep: '168' });
  expect(await hoursLeft(own)).toBe(22);
});

it('asks before it deletes results, and says how many batches lose theirs', async () => {
  const { visitor, person } = await openSettings(db);
  const [old, older] = [await completed(person.id, 3), await completed(person.id, 30)];
  const young = await completed(person.id);
  await save(visitor, { keep: 'other', hours: '2' });
  expect(visitor.status).toBe(200);
  expect(visitor.document.querySelector('h1')!.textContent).toBe('Delete the results of 2 batches now?');
  expect([await hoursLeft(old), await deedsOf(db, person.id)]).toEqual([717, []]);
  expect((await visitor.press('Save, and delete these results')).status).toBe(303);
  for (const id of [old, older]) expect((await findBatch(db, person.id, id))!.is_expired).toBe(true);
  expect((await findBatch(db, person.id, young))!.is_expired).toBe(false);
  expect(await hoursLeft(young)).toBe(2);
  expect(await deedsOf(db, person.id)).toMatchObject([{ details: { hours: 2, batches_ended: 2 } }]);
});

it.each(['', '0', '-1', '1.5', '721', 'a day', '99999999999'])(
  'does not take %j hours, and keeps what was typed',
  async (hours) => {
    const { visitor, person } = await openSettings(db);
    await save(visitor, { keep: 'other', hours });
    expect([visitor.status, problemOf(visitor)]).toEqual([
      422,
      'Expected a whole number of hours from 1 to 720. The retention time was not changed.',
    ]);
    expect([chosen(visitor), visitor.valueOf('Hours')]).toEqual(['other', hours]);
    // The section is far down the page. The focus brings the message into view.
    const field = visitor.document.querySelector('#hours')!;
    expect([field.getAttribute('aria-invalid'), field.hasAttribute('autofocus')]).toEqual(['true', true]);
    expect(await deedsOf(db, person.id)).toEqual([]);
  },
);

it('does not take hours for saved that were typed without choosing them', async () => {
  const { visitor, person } = await openSettings(db);
  await save(visitor, { hours: '48' });
  expect([visitor.status, problemOf(visitor)]).toEqual([
    422,
    'You typed “48” as hours, but chose something else. Choose “another time”, or empty the field. The retention time was not changed.',
  ]);
  expect([chosen(visitor), visitor.valueOf('Hours')]).toEqual(['service', '48']);
  expect(await deedsOf(db, person.id)).toEqual([]);
  // The page fills in hours that were saved, and they may stay there.
  await save(visitor, { keep: 'other', hours: '48' });
  await save(visitor, { keep: '24' });
  expect(visitor.status).toBe(303);
  await save(visitor, { keep: '168', hours: '5' });
  expect(visitor.status).toBe(422);
});

it('says that nothing was changed, and writes no log for it', async () => {
  const { visitor, person } = await openSettings(db);
  await save(visitor, { keep: 'service' });
  await visitor.follow();
  expect(doneMessage(visitor)).toBe(
    'The retention time is the same as before. Results are kept as long as the service does: 30 days, and 5 days for batches of more than 1,000 entries.',
  );
  for (const _ of [1, 2]) await save(visitor, { keep: 'other', hours: '30' });
  await visitor.follow();
  const said = 'The retention time is the same as before. Results are kept for 30 hours.';
  expect(doneMessage(visitor)).toBe(said);
  expect(await deedsOf(db, person.id)).toHaveLength(1);
});

it('does not take a choice that it has not offered', async () => {
  const { visitor } = await openSettings(db);
  const { action, sent } = visitor.formOf('Save');
  for (const keep of ['9999', 'x']) expect((await visitor.post(action, { ...sent, keep })).status).toBe(422);
  const { keep: _keep, hours: _hours, ...without } = sent;
  expect((await visitor.post(action, without)).status).toBe(422);
  expect((await visitor.post(action, { ...without, keep: 'other' })).status).toBe(422);
});

it('says how long a service with other times keeps results', async () => {
  const days = await openSettings(db, { durations: { inlineResults: 86_400, downloadFile: 86_400 } });
  expect(days.visitor.text).toContain('as long as the service does: 1 day 1 hour');
  const odd = await openSettings(db, { durations: { inlineResults: 7_200, downloadFile: 90 } });
  expect(odd.visitor.text).toContain('2 hours, and 90 seconds for batches of more than 1,000 entries');
});

it('counts for a batch that is completed while the setting changes', async () => {
  const { visitor, person } = await openSettings(db);
  for (let round = 0; round < 4; round += 1) {
    await run`update accounts set keep_results_seconds = null where id = ${person.id}`;
    const { id } = await createBatch(db, 1, { mode: 'test', accountId: person.id });
    await storeResults(db, id, [{ place: 0, result: toBatchResult(resultOf('u0@d0.example')) }]);
    await Promise.all([save(visitor, { keep: '1' }), completeBatch(db, id, DEPS.settings.durations)]);
    expect(await hoursLeft(id)).toBe(1);
  }
});
