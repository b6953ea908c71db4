import { describe, expect, it } from 'vitest';
import { readAudit } from '../../../../src/service/audit/audit-store.ts';
import { pauseBatch, resumeBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { expire, makeResults } from '../../batch/results/results.ts';
import { creditsOf, topUp } from '../../support/account.ts';
import { createBatch } from '../../support/batch.ts';
import { completeWithCallback } from '../../support/callbacks.ts';
import { testDatabase } from '../../support/database.ts';
import { cellsOf, type SignedIn, signInSomebody, texts } from './person.ts';

const { db } = await testDatabase();

const ONE = [{ email: 'a@x.example' }];
const done = ({ visitor }: SignedIn) => texts(visitor, '[role=status].done');
const actionsOf = async ({ id }: SignedIn) =>
  (await readAudit(db, id, { limit: 9 })).map(({ action, actor_name }) => [action, actor_name]);
const liveBatch = async (person: SignedIn, count = 3) => {
  await topUp(db, person.id, count);
  const { id } = await createBatch(db, count, { accountId: person.id });
  await person.visitor.open(`/dashboard/batches/${id}`);
  return id;
};

describe('any batch', () => {
  it('is renamed by its owner, which the log says', async () => {
    const { person, visitor } = await signInSomebody(db);
    const { id } = await makeResults(db, ONE, { accountId: person.id, name: 'Old' });
    await visitor.open(`/dashboard/batches/${id}`);
    await (await visitor.press('Rename', { 'Name of the batch': '  Spring \u202e <b> ' })).follow();
    expect(texts(visitor, 'h1')).toEqual(['Spring <b>']);
    expect(done(person)).toEqual(['The batch has another name now.']);
    // The same name again is no change.
    await visitor.press('Rename', { 'Name of the batch': 'Spring <b>' });
    const entries = await readAudit(db, person.id, { limit: 9 });
    expect(entries.filter(({ action }) => action === 'batch.rename')).toMatchObject([
      { subject_name: 'Spring <b>', details: {} },
    ]);
    await visitor.open('/dashboard/audit');
    const said = 'Renamed a batch, which is the batch Spring <b> now.';
    expect(visitor.text.replace(/[\u2066-\u2069]/g, '')).toContain(said);
  });

  it('keeps its name if the new one is empty, and belongs to its account', async () => {
    const { person, visitor } = await signInSomebody(db);
    const { id } = await makeResults(db, ONE, { accountId: person.id, name: 'Old' });
    const { action, sent } = (await visitor.open(`/dashboard/batches/${id}`)).formOf('Rename');
    await (await visitor.post(action, { ...sent, name: ' ' })).follow();
    expect(texts(visitor, 'h1')).toEqual(['Old']);
    expect(done(person)).toEqual(['The batch kept its name, because the new one was empty.']);
    const other = await makeResults(db, ONE, { name: 'Theirs' });
    expect((await visitor.post(action.replace(id, other.id), { ...sent, name: 'Mine' })).status).toBe(404);
  });
});

describe('an open batch', () => {
  it('is paused and resumed, and the log says by whom', async () => {
    const { person, visitor, email } = await signInSomebody(db);
    await liveBatch(person);
    expect((await visitor.press('Pause')).status).toBe(303);
    await visitor.follow();
    expect([done(person)[0], texts(visitor, 'h2')[0]]).toEqual([
      'The batch is paused. Verifications that are already running finish, and their results are stored.',
      'Paused',
    ]);
    await (await visitor.press('Resume')).follow();
    expect([done(person), visitor.has('Pause')]).toEqual([['The batch was resumed.'], true]);
    expect(await actionsOf(person)).toEqual([
      ['batch.resume', email],
      ['batch.pause', email],
    ]);
  });

  it('stays as it is if it was paused, resumed or completed meanwhile', async () => {
    const { person, visitor } = await signInSomebody(db);
    const id = await liveBatch(person);
    await pauseBatch(db, { id });
    await (await visitor.press('Pause')).follow();
    expect(visitor.has('Resume')).toBe(true);
    await resumeBatch(db, { id });
    await (await visitor.press('Resume')).follow();
    expect(visitor.has('Pause')).toBe(true);
    const completed = await makeResults(db, ONE, { accountId: person.id });
    const { action, sent } = visitor.formOf('Pause');
    for (const change of ['pause', 'resume']) {
      await visitor.post(action.replace(id, completed.id).replace('pause', change), sent);
      expect(visitor.location).toBe(`/dashboard/batches/${completed.id}?done=completed`);
    }
  });

  it('is deleted after a question that says what comes back', async () => {
    const { person, visitor } = await signInSomebody(db);
    await liveBatch(person);
    expect(texts(visitor, 'details.danger')[0]).toContain('About 3 credits are given back');
    await (await visitor.press('Delete batch')).follow();
    expect(done(person)).toEqual(['The batch and its results were deleted.']);
    expect(await creditsOf(db, person.id)).toBe(3);
    expect((await actionsOf(person))[0]).toEqual(['batch.delete', person.email]);
  });

  it('is stopped after a question that says what comes back, and keeps its results', async () => {
    const { person, visitor } = await signInSomebody(db);
    await topUp(db, person.id, 2);
    const three = [...ONE, { email: 'b@x.example' }, { email: 'c@x.example' }];
    const { id } = await makeResults(db, three, { accountId: person.id, mode: 'live', open: 2 });
    await visitor.open(`/dashboard/batches/${id}`);
    expect(texts(visitor, '#stop')[0]).toContain('About 2 credits are given back');
    await (await visitor.press('Stop batch')).follow();
    expect(done(person)).toEqual(['The batch was stopped. Its results so far are below.']);
    expect(texts(visitor, 'h2')[0]).toBe('Stopped');
    const pattern = /^The batch was stopped at .*\. 1 of 3 addresses had a result by then\.$/;
    expect(texts(visitor, '#progress p')[0]).toMatch(pattern);
    expect([visitor.has('Stop batch'), visitor.has('Download all')]).toEqual([false, true]);
    expect((await actionsOf(person))[0]).toEqual(['batch.stop', person.email]);
    expect((await visitor.open('/dashboard/batches')).text).toContain('Stopped 1 of 3');
  });

  it('is stopped before its first result, and says that there is none', async () => {
    const person = await signInSomebody(db);
    await liveBatch(person);
    await (await person.visitor.press('Stop batch')).follow();
    expect(person.visitor.text).toContain('The batch was stopped before any address had a result.');
    expect(await creditsOf(db, person.id)).toBe(3);
  });

  it('gives one credit back, or keeps those of unknown results, if it is so', async () => {
    const person = await signInSomebody(db, { refundUnknown: false });
    await liveBatch(person, 1);
    const said = '1 credit is given back: one for each address without a result.';
    expect(texts(person.visitor, 'details.danger')[0]).toContain(said);
  });
});

it('gives nothing back when a completed batch is deleted', async () => {
  const person = await signInSomebody(db);
  const { id } = await makeResults(db, ONE, { accountId: person.id, mode: 'live' });
  await person.visitor.open(`/dashboard/batches/${id}`);
  expect(texts(person.visitor, 'details.danger')[0]).toContain('No credits are given back.');
  expect([person.visitor.has('Pause'), person.visitor.has('Resume')]).toEqual([false, false]);
});

it('changes nothing for a form of another account, of no batch, and without its token', async () => {
  const other = await signInSomebody(db);
  const foreign = await liveBatch(other);
  const { person, visitor } = await signInSomebody(db);
  const id = await liveBatch(person);
  for (const verb of ['pause', 'resume', 'stop', 'delete', 'send-callback']) {
    const { sent } = (await visitor.open(`/dashboard/batches/${id}`)).formOf('Pause');
    for (const wrong of [foreign, '0'.repeat(24), 'x']) {
      await visitor.post(`/dashboard/batches/${wrong}/${verb}`, sent);
      expect([visitor.status, visitor.text.includes('Your account has no such')]).toEqual([404, true]);
    }
    await visitor.post(`/dashboard/batches/${id}/${verb}`, {});
    expect([visitor.status, visitor.text.includes('Your change was not made')]).toEqual([403, true]);
  }
  expect([...(await actionsOf(person)), ...(await actionsOf(other))]).toEqual([]);
});

describe('a callback', () => {
  const URL = 'https://hooks.example/secret?x=1';
  const complete = async (person: SignedIn) => {
    const batch = await completeWithCallback(db, URL, { accountId: person.id });
    const set = (values: object) =>
      db.updateTable('callbacks').set(values).where('batch_id', '=', batch.id).execute();
    const show = () => person.visitor.open(`/dashboard/batches/${batch.id}`);
    return { ...batch, set, show };
  };
  const at = new Date('2026-10-12T14:20:00Z');
  const words = ({ visitor }: SignedIn) => texts(visitor, '#callback p')[0];
  const live = ({ visitor }: SignedIn) =>
    visitor.document.querySelector('#callback')!.getAttribute('data-live');

  it('is announced before the batch is completed, and missing if there is none', async () => {
    const person = await signInSomebody(db);
    const { id } = await makeResults(db, ONE, { accountId: person.id, open: 1, url: URL });
    await person.visitor.open(`/dashboard/batches/${id}`);
    expect(words(person)).toBe(`To ${URL}. It is sent when the batch is completed.`);
    await liveBatch(person);
    expect(texts(person.visitor, '#callback')).toEqual([]);
  });

  it('says what becomes of it, from the first try to the end', async () => {
    const person = await signInSomebody(db);
    const { set, show } = await complete(person);
    await show();
    expect([words(person), live(person)]).toEqual([`To ${URL}. It is sent within seconds.`, '3']);
    await set({ due_at: new Date('2100-01-01T14:20:00Z'), attempt: 1, tried_at: at });
    await show();
    expect(words(person)).toContain('The next try is at 1 Jan 2100, 14:20 UTC.');
    expect(live(person)).toBe('60');
    await set({ due_at: null, process_id: '00000000-0000-4000-8000-000000000001' });
    await show();
    expect(words(person)).toBe(`To ${URL}. It is being sent, and the receiver has not answered yet.`);
    expect(live(person)).toBe('3');
    expect(person.visitor.has('Send again')).toBe(false);
    await set({ process_id: null, delivered_at: at });
    await show();
    expect([words(person), live(person)]).toEqual([`To ${URL}. It was delivered.`, null]);
  });

  it('shows each try, the latest first, and is sent again', async () => {
    const { person, visitor } = await signInSomebody(db);
    const { id, set, show, read } = await complete(person);
    await set({ due_at: null, attempt: 3, tried_at: at, given_up_at: at });
    const tries = [
      { number: 1, status: 503, error: 'The receiver answered 503.', duration_ms: 1_234 },
      { number: 2, status: null, error: 'The host name does not exist.', duration_ms: null },
      { number: 3, status: 200, error: null, duration_ms: 5 },
    ].map((one) => ({ ...one, batch_id: id, at }));
    const store = (some: typeof tries) => db.insertInto('callback_tries').values(some).execute();
    await store(tries.slice(0, 1));
    await show();
    expect(words(person)).toContain('The service stopped after 1 try.');
    await store(tries.slice(1));
    await show();
    const time = '12 Oct 2026, 14:20 UTC';
    expect(cellsOf(visitor, 'Each try')).toEqual([
      [time, '200', 'Delivered.', '5 ms'],
      [time, '–', 'The host name does not exist.', '–'],
      [time, '503', 'The receiver answered 503.', '1,234 ms'],
    ]);
    expect(words(person)).toContain('The service stopped after 3 tries.');
    await (await visitor.press('Send again')).follow();
    expect(done(person)).toEqual(['The callback is sent within seconds.']);
    expect((await read()).state).toBe('waiting');
    expect((await actionsOf(person))[0]).toEqual(['callback.send-again', person.email]);
  });

  it('is not sent again while it is being sent, and after the results are gone', async () => {
    const { person, visitor } = await signInSomebody(db);
    const { id, set, show } = await complete(person);
    await show();
    await set({ due_at: null, attempt: 1, tried_at: at, process_id: '00000000-0000-4000-8000-000000000001' });
    await (await visitor.press('Send again')).follow();
    expect(done(person)).toEqual(['The callback is already being sent.']);
    await set({ process_id: null, given_up_at: at });
    await show();
    await expire(db, id);
    await (await visitor.press('Send again')).follow();
    expect(done(person)).toEqual(['The callback was not sent, because the results have been deleted.']);
    expect([visitor.has('Send again'), await actionsOf(person)]).toEqual([false, []]);
  });
});
