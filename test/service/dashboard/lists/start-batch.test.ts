/** A list has one batch and one charge, whoever presses how often, and whatever fails on the way. */
import { expect, it } from 'vitest';
import { deleteBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { deleteAccount } from '../../../../src/service/deletion/delete-account.ts';
import { forgetRows } from '../../../../src/service/lists/list-store.ts';
import { creditsOf, ledgerOf } from '../../support/account.ts';
import { auditOf } from '../../support/audit.ts';
import { testDatabase } from '../../support/database.ts';
import { createScript, startStoredService } from '../../support/stored-service.ts';
import { arrive } from '../../support/visitor.ts';
import { addressesOf, batchesOf, csv, listOf, reviewList, rowsOf, signedIn, upload } from './world.ts';

const database = await testDatabase();
const { db, run } = database;

const { verifier } = createScript();
const LIST = csv('Email', ...Array.from({ length: 50 }, (_, row) => `u${row}@example.com`));
const audited = (id: string) => auditOf(db, id, 'action');

it('makes one batch and one charge of presses at once, in two processes', async () => {
  // Each has its own connections.
  const services = await Promise.all(
    ['one', 'two'].map((name) => startStoredService(database.connect(5, name), { verifier })),
  );
  const { visitor, person } = await arrive(services[0]!, db, 1_000);
  const visitors = await Promise.all([0, 1, 0, 1].map((index) => signedIn(services[index]!, person)));
  for (let round = 0; round < 3; round += 1) {
    const before = await creditsOf(db, person.id);
    const id = await upload(visitor, LIST);
    const { action, sent } = visitor.formOf('Start');
    // Each session has a token of its own.
    for (const each of visitors) await each.open(action);
    const places = await Promise.all(
      visitors.map(
        async (each) => (await each.post(action, { ...sent, ...each.formOf('Start').sent })).location,
      ),
    );
    const { batch_id } = (await listOf(db, id))!;
    expect(places).toEqual(Array(4).fill(`/dashboard/batches/${batch_id}?done=begun`));
    expect(await creditsOf(db, person.id)).toBe(before - 50);
    expect(await addressesOf(db, batch_id!)).toHaveLength(50);
  }
  expect(await batchesOf(db, person)).toHaveLength(3);
  expect(await ledgerOf(db, person.id)).toMatchObject({ batch: 3 });
  expect(await audited(person.id)).toHaveLength(3);
});

it('counts a list with long rows as more than its addresses, and refuses it over the limit', async () => {
  const service = await startStoredService(db, { verifier });
  const { visitor, person } = await arrive(service, db, 1_000);
  const limit = (stored_entries: number) =>
    db.updateTable('accounts').set({ stored_entries }).where('id', '=', person.id).execute();
  await limit(9);
  await upload(visitor, csv('Email,Note', `a@example.com,${'x'.repeat(3_000)}`));
  await visitor.press('Start');
  expect(visitor.status).toBe(422);
  expect(visitor.text).toContain('Expected at most 9 stored entries in batches of live keys, got 10.');
  expect(visitor.text).toContain('The batch was not started, and the list is kept.');
  await limit(10);
  expect((await visitor.press('Start')).status).toBe(303);
  expect(await creditsOf(db, person.id)).toBe(999);
  expect((await batchesOf(db, person))[0]).toMatchObject({ total: 1, stored_entries: 10 });
});

it('starts or discards, and never both', async () => {
  const service = await startStoredService(db, { verifier });
  const { visitor, person } = await arrive(service, db, 1_000);
  const other = await signedIn(service, person);
  for (let round = 0; round < 10; round += 1) {
    const credits = await creditsOf(db, person.id);
    const id = await upload(visitor, LIST);
    const path = `/dashboard/lists/${id}`;
    await other.open(path);
    await Promise.all([visitor.press('Start'), other.press('Discard list')]);
    const list = await listOf(db, id);
    const isStarted = visitor.status === 303;
    expect(visitor.status).toBe(isStarted ? 303 : 404);
    expect([list?.batch_id ?? null, await creditsOf(db, person.id)]).toEqual(
      isStarted ? [visitor.location!.split(/[/?]/).at(-2), credits - 50] : [null, credits],
    );
    // The one that came too late is led to the list, and from there to the batch.
    expect(other.location).toBe(isStarted ? path : '/dashboard/batches/new?done=discarded');
  }
});

it('leaves nothing of a start that fails on its way, and starts once the cause is gone', async () => {
  const { visitor, person, id } = await reviewList(await startStoredService(db, { verifier }), db, LIST, 60);
  const before = await rowsOf(db, id);
  const { action, sent } = visitor.formOf('Start');
  await run`alter table audit add constraint fails check (action <> 'batch.create') not valid`;
  expect((await visitor.post(action, sent)).status).toBe(500);
  expect([await batchesOf(db, person), await creditsOf(db, person.id)]).toEqual([[], 60]);
  expect([await rowsOf(db, id), (await listOf(db, id))!.batch_id]).toEqual([before, null]);
  await run`alter table audit drop constraint fails`;
  expect((await visitor.post(action, sent)).status).toBe(303);
  expect(await creditsOf(db, person.id)).toBe(10);
});

it('does not start the list of an account that was deleted a moment ago', async () => {
  const { visitor, person, id } = await reviewList(await startStoredService(db, { verifier }), db, LIST, 60);
  const [started, deleted] = await Promise.all([
    visitor.press('Start').then(({ status }) => status),
    deleteAccount(database.connect(1, 'operator'), person.id),
  ]);
  expect([303, 403, 404]).toContain(started);
  while (await forgetRows(db));
  expect([deleted, await listOf(db, id), await rowsOf(db, id)]).toEqual([true, undefined, []]);
});

it('deletes the list with its batch', async () => {
  const { visitor, person, id } = await reviewList(await startStoredService(db, { verifier }), db, LIST, 60);
  await visitor.press('Start');
  const [batch] = await batchesOf(db, person);
  await deleteBatch(db, { id: batch!.id, accountId: person.id }, { refundUnknown: true });
  while (await forgetRows(db));
  expect([await listOf(db, id), await rowsOf(db, id)]).toEqual([undefined, []]);
});
