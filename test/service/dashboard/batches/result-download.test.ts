/** Downloads by people who have signed in. */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readAudit } from '../../../../src/service/audit/audit-store.ts';
import { deleteBatch } from '../../../../src/service/batch/manage/manage-batches.ts';
import { inLong } from '../../../in-long.ts';
import { type MadeBatch, makeLargeBatch } from '../../batch/download/batches.ts';
import { expire, makeList, makeResults } from '../../batch/results/results.ts';
import { makeAccount } from '../../support/account.ts';
import { testDatabase } from '../../support/database.ts';
import type { StoredServiceOptions } from '../../support/stored-service.ts';
import { Visitor } from '../../support/visitor.ts';
import { type SignedIn, signInSomebody } from './person.ts';

const { db, run } = await testDatabase();

const LIST = [
  { email: 'ada@x.example', duplicates: 1 },
  { email: 'bob@x.example', reason: 'timeout' as const },
];
const download = ({ visitor }: SignedIn, id: string, query = '') =>
  visitor.open(`/dashboard/batches/${id}/download${query}`);
const linesOf = ({ visitor: { response } }: SignedIn) =>
  response.body.replace('\ufeff', '').trimEnd().split('\r\n');

let huge: Promise<MadeBatch> | undefined;
/** Gives the person a batch that is too much for the buffers of a socket. It is made once, because that takes long. */
async function takeHuge({ id }: SignedIn): Promise<string> {
  huge ??= makeLargeBatch(db, 2_500, { padding: 6_400 });
  const made = await huge;
  await db.updateTable('batches').set({ account_id: id }).where('id', '=', made.id).execute();
  return made.id;
}

/** The person's requests over real sockets, whose bodies are left unread. */
async function listen(options: StoredServiceOptions = {}) {
  const person = await signInSomebody(db, { ...options, isOwn: true });
  const { app, logged } = person.service;
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const cookie = [...person.visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const ask = async (id: string, query = ''): Promise<IncomingMessage> => {
    const path = `/dashboard/batches/${id}/download${query}`;
    const sent = request({ port, path, headers: { cookie }, agent: new Agent() }).end();
    onTestFinished(() => void sent.destroy());
    sent.on('error', () => {});
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  return { person, ask, logged };
}

it('sends the columns of the list, all or what is filtered, and says in the log that it did', async () => {
  const person = await signInSomebody(db);
  const made = await makeResults(db, LIST, { accountId: person.id, name: 'Größe "1".csv' });
  await makeList(
    db,
    made,
    ['Mail'],
    [
      { cells: ['ada@x.example'], place: 0 },
      { cells: ['bob@x.example'], place: 1 },
      { cells: ['ADA@x.example'], place: 0 },
    ],
  );
  await download(person, made.id, '?columns=short');
  expect(linesOf(person)).toEqual([
    'Mail,state,reason,score,did_you_mean,duplicate',
    'ada@x.example,deliverable,accepted_email,100,,false',
    'bob@x.example,unknown,timeout,100,,false',
    'ADA@x.example,deliverable,accepted_email,100,,true',
  ]);
  expect(person.visitor.response.headers).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-disposition': `attachment; filename="batch-${made.id}-results.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20_1_-results.csv`,
  });
  await download(person, made.id, '?state=unknown');
  expect(linesOf(person)).toHaveLength(2);
  expect(linesOf(person)[0]!.split(',')).toHaveLength(1 + 20 + 1);
  const log = await readAudit(db, person.id, { limit: 9 });
  expect(
    log.map(({ action, actor_name, subject_id, details }) => [action, actor_name, subject_id, details]),
  ).toEqual([
    ['batch.download', person.email, made.id, { filtered: true }],
    ['batch.download', person.email, made.id, { filtered: false }],
  ]);
});

it('has reasons in words where people ask for them, and in each download of what comes next', async () => {
  const person = await signInSomebody(db);
  const made = await makeResults(db, LIST, { accountId: person.id });
  const reasonsOf = async (query: string) => {
    await download(person, made.id, query);
    const [titles, ...rows] = linesOf(person).map((line) => line.split(','));
    return rows.map((cells) => cells[titles!.indexOf('reason')]);
  };
  for (const query of ['?columns=short&reasons=words', '?reasons=words', '?for=send', '?for=look-at'])
    for (const reason of await reasonsOf(query)) expect(['Accepted', 'No answer in time']).toContain(reason);
  expect(await reasonsOf('?for=look-at')).toEqual(['No answer in time']);
  for (const query of ['?reasons=codes', ''])
    expect(await reasonsOf(query)).toEqual(expect.arrayContaining(['accepted_email', 'timeout']));
});

it('offers what comes next in the format that the upload did not have, too', async () => {
  const person = await signInSomebody(db);
  const made = await makeResults(db, LIST, { accountId: person.id });
  const offer = async () => {
    await person.visitor.open(`/dashboard/batches/${made.id}`);
    const part = person.visitor.document.querySelector('#next-other')!;
    return { text: part.textContent, href: part.querySelector('a')!.getAttribute('href')! };
  };
  const { text, href } = await offer();
  expect(text).toMatch(/^As XLSX instead: Send to these, /);
  await person.visitor.open(href);
  expect(person.visitor.response.headers['content-disposition']).toMatch(/-send\.xlsx"/);
  const id = await makeList(db, made, ['Email'], [{ cells: ['ada@x.example'], place: 1 }]);
  await db.updateTable('lists').set({ findings: '{"sheet": "Sheet 1"}' }).where('id', '=', id).execute();
  expect((await offer()).text).toMatch(/^As CSV instead: /);
});

it('has a plain name for a batch without one', async () => {
  const person = await signInSomebody(db);
  const { id } = await makeResults(db, LIST, { accountId: person.id });
  await download(person, id, '?q=ada');
  expect(person.visitor.response.headers['content-disposition']).toBe(
    `attachment; filename="batch-${id}-filtered.csv"`,
  );
});

it('has nothing for other accounts, for expired batches, and for nobody', async () => {
  const person = await signInSomebody(db);
  const foreign = await makeResults(db, LIST, { accountId: await makeAccount(db) });
  const old = await makeResults(db, LIST, { accountId: person.id });
  await expire(db, old.id);
  for (const id of [foreign.id, old.id, '0'.repeat(24), 'x']) {
    await download(person, id);
    expect(person.visitor.status).toBe(404);
    expect(person.visitor.text).toContain('no such results');
  }
  const stranger = await new Visitor(person.service.app).open(`/dashboard/batches/${foreign.id}/download`);
  expect(stranger.has('Sign in')).toBe(true);
  const head = await person.service.ask({ method: 'HEAD', url: `/dashboard/batches/${old.id}/download` });
  expect(head.statusCode).toBe(404);
  expect(await readAudit(db, person.id, { limit: 9 })).toEqual([]);
});

inLong('ends when the client takes too long', async () => {
  const { person, ask, logged } = await listen({ timeouts: { download: 200 } });
  await ask(await takeHuge(person));
  await vi.waitFor(() => expect(logged.join()).toContain('TooSlowError'));
});

inLong('sends a few at once to each account, and has room again when one has ended', async () => {
  const { person, ask } = await listen();
  const other = await signInSomebody(db);
  const id = await takeHuge(person);
  const running = [await ask(id), await ask(id), await ask(id)];
  const refused = await ask(id);
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
  expect((await buffer(refused)).toString()).toContain('Too many downloads are running at the moment.');
  await download(other, (await makeResults(db, LIST, { accountId: other.id })).id);
  expect(other.visitor.status).toBe(200);
  const whole = await buffer(running[0]!);
  expect(whole.toString().trimEnd().split('\r\n')).toHaveLength(2_501);
  running[1]!.destroy();
  await vi.waitFor(async () => {
    const again = await ask(id);
    again.destroy();
    expect(again.statusCode).toBe(200);
  });
});

inLong('breaks off when the results are deleted meanwhile, and says so in the log', async () => {
  const { person, ask, logged } = await listen();
  const id = await takeHuge(person);
  const response = await ask(id, '?state=deliverable');
  await deleteBatch(db, { id }, { refundUnknown: true });
  huge = undefined;
  await expect(buffer(response)).rejects.toThrow();
  await vi.waitFor(() => expect(logged.join()).toContain('ResultsDeletedError'));
});

it('gives its place back when the log cannot be written', async () => {
  const person = await signInSomebody(db);
  const { id } = await makeResults(db, LIST, { accountId: person.id });
  await run`alter table audit rename to audit_away`;
  for (let round = 0; round < 4; round += 1) await download(person, id);
  expect(person.visitor.status).toBe(500);
  await run`alter table audit_away rename to audit`;
  await download(person, id);
  expect(person.visitor.status).toBe(200);
});
