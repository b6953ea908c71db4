/** A sample of a list is verified before its batch, and forecasts what the list is worth. */
import { expect, it, vi } from 'vitest';
import { recordAuditEvent } from '../../../../src/service/audit/audit-store.ts';
import { entriesOf } from '../../../../src/service/batch/entries/collected-entries.ts';
import { auditBooks } from '../../../../src/service/books/audit-books.ts';
import { drawSample } from '../../../../src/service/dashboard/lists/forecast-sample.ts';
import { creditsOf } from '../../support/account.ts';
import { answers, startWorker } from '../../support/batch.ts';
import { testDatabase } from '../../support/database.ts';
import { PATIENTLY } from '../../support/patience.ts';
import { createScript, type StoredServiceOptions, startStoredService } from '../../support/stored-service.ts';
import { arrive, type Person } from '../../support/visitor.ts';
import { addressesOf, batchesOf, csv, listOf, reviewList, signedIn, upload } from './world.ts';

const { db } = await testDatabase();

const SIZE = 150;
const ADDRESSES = Array.from({ length: SIZE }, (_, row) => `p${row}@example.com`);
const LIST = csv('Email', ...ADDRESSES, ADDRESSES[0]!);

const live = (changes: StoredServiceOptions = {}) =>
  startStoredService(db, { verifier: createScript().verifier, ...changes });

/** Free samples of the last day. */
async function recordFree({ id, email }: Person, count: number): Promise<void> {
  for (let sample = 0; sample < count; sample += 1)
    await recordAuditEvent(db, {
      ...{ accountId: id, actor: { kind: 'owner', name: email }, action: 'batch.create' },
      details: { mode: 'live', addresses: 100, is_free: true },
    });
}

/** Opens the list until the sample is verified. */
async function forecastOn(
  visitor: Awaited<ReturnType<typeof arrive>>['visitor'],
  id: string,
): Promise<string> {
  await vi.waitFor(async () => {
    expect((await visitor.open(`/dashboard/lists/${id}`)).text).toContain('You can probably send to');
  }, PATIENTLY);
  return visitor.text;
}

it('verifies 100 addresses of the list for their credits, once, and says what the list is worth', async () => {
  const { visitor, person, id } = await reviewList(await live(), db, LIST, 120);
  expect(visitor.text).toContain('That costs 100 credits.');
  const { action, sent } = visitor.formOf('Verify a sample');
  expect((await visitor.press('Verify a sample', { act: 'forecast', name: 'May' })).status).toBe(200);
  // The focus goes to it, so that screen readers say it.
  const said = () => visitor.document.querySelector('.done[autofocus]')?.textContent;
  expect(said()).toBe('The sample was started. Its progress is under “Forecast”.');
  // The choices of the form stay.
  expect(visitor.formOf('Start').sent).toMatchObject({ name: 'May' });
  const [batch] = await batchesOf(db, person);
  expect(batch).toMatchObject({ name: 'Sample of May', total: 100, retries: false, is_free: false });
  const sampled = (await addressesOf(db, batch!.id)).map(([address]) => address);
  expect(new Set(sampled).size).toBe(100);
  expect(ADDRESSES).toEqual(expect.arrayContaining(sampled));
  expect(visitor.text).toContain('0 of the 100 addresses of the sample are verified.');
  await startWorker(db, answers('deliverable'));
  const words = 'You can probably send to about 100 % of the 150 addresses.';
  expect(await forecastOn(visitor, id)).toContain(words);
  expect(await creditsOf(db, person.id)).toBe(20);
  // A page that was sent twice.
  await visitor.post(action, { ...sent, act: 'forecast' });
  expect(visitor.text).toContain('You can probably send to');
  expect(said()).toBe('The list already has a sample. It is under “Forecast”.');
  expect(await batchesOf(db, person)).toHaveLength(1);
});

it('is free where the operator says so, and then gives no credits back', async () => {
  const { visitor, person, id } = await reviewList(await live({ freeForecast: true }), db, LIST);
  expect(visitor.text).toContain('drawn at random. That is free.');
  await visitor.press('Verify a sample', { act: 'forecast' });
  await startWorker(db, answers('unknown'));
  expect(await forecastOn(visitor, id)).toContain('about 0 % of the 150 addresses');
  expect(await creditsOf(db, person.id)).toBe(0);
  const [batch] = await batchesOf(db, person);
  expect(batch!.is_free).toBe(true);
  await visitor.open(`/dashboard/batches/${batch!.id}`);
  expect(visitor.text).toContain('No credits are given back.');
  expect(await auditBooks(db)).toEqual([]);
});

it('costs its credits after 20 free ones in a day', async () => {
  const { visitor, person } = await arrive(await live({ freeForecast: true }), db, 100);
  await recordFree(person, 20);
  await upload(visitor, LIST);
  expect(visitor.text).toContain('That costs 100 credits.');
  await visitor.press('Verify a sample', { act: 'forecast' });
  expect(await creditsOf(db, person.id)).toBe(0);
});

it('starts one free sample of those that are asked for at once, if one of the day is left', async () => {
  const service = await live({ freeForecast: true });
  const { visitor, person } = await arrive(service, db, 400);
  await recordFree(person, 19);
  const visitors = [visitor, ...(await Promise.all([1, 2, 3].map(() => signedIn(service, person))))];
  for (const each of visitors) await upload(each, LIST);
  await Promise.all(visitors.map((each) => each.press('Verify a sample', { act: 'forecast' })));
  expect(visitors.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
  expect((await batchesOf(db, person)).map(({ is_free }) => is_free)).toEqual([true]);
  // Its page had promised a free one, so nothing was paid.
  expect(await creditsOf(db, person.id)).toBe(400);
  const late = visitors.find(({ status }) => status === 422)!;
  expect(late.text).toContain('The 20 free samples of a day are used up, so the sample was not started.');
  expect(late.text).toContain('That costs 100 credits.');
  await late.press('Verify a sample', { act: 'forecast' });
  expect([late.status, await creditsOf(db, person.id)]).toEqual([200, 300]);
});

it('says what is missing, and starts nothing', async () => {
  const { visitor, person, id } = await reviewList(await live(), db, LIST, 99);
  expect((await visitor.press('Verify a sample', { act: 'forecast' })).status).toBe(422);
  const said = '1 credit is missing: the batch needs 100 credits, and you have 99 credits.';
  expect(visitor.text).toContain(said);
  expect(await batchesOf(db, person)).toEqual([]);
  expect((await listOf(db, id))!.sample_id).toBeNull();
});

it('offers no sample for a list that is not larger, and where there are only tests', async () => {
  const { visitor } = await reviewList(await live(), db, csv('Email', ...ADDRESSES.slice(0, 100)), 99);
  expect(visitor.has('Verify a sample')).toBe(false);
  const { visitor: other } = await arrive(await startStoredService(db), db, 99);
  await upload(other, LIST);
  expect(other.has('Verify a sample')).toBe(false);
});

it('draws each address with the same chance', async () => {
  const entries = entriesOf(ADDRESSES.map((address) => ({ address, duplicates: 3 })));
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const counts = new Map<string, number>();
  for (let round = 0; round < 300; round += 1)
    for (const { address, duplicates } of await drawSample(entries, random)) {
      expect(duplicates).toBe(0);
      counts.set(address, (counts.get(address) ?? 0) + 1);
    }
  // 200 of 300 each, with a standard deviation of 8.
  expect(counts.size).toBe(SIZE);
  expect(Math.min(...counts.values())).toBeGreaterThan(160);
  expect(Math.max(...counts.values())).toBeLessThan(240);
});
