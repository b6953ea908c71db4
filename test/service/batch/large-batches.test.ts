/** Batches of accounts that may send more than others. */
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PART } from '../../../src/service/batch/entries/collected-entries.ts';
import { largeBatches } from '../../../src/service/batch/entries/large-batches.ts';
import { creditsOf, makeAccount, topUp } from '../support/account.ts';
import { countRoundTrips } from '../support/counted-database.ts';
import { testDatabase } from '../support/database.ts';
import { PATIENTLY } from '../support/patience.ts';
import { createScript, failureOf, startStoredService, storeKey } from '../support/stored-service.ts';
import { FORM, multipart } from '../testing.ts';

const database = await testDatabase();
const { db } = database;

const MIB = 1024 * 1024;
/** More than other accounts may send. */
const BATCH_SIZE = 60_000;
const LARGEST_BODY = 330 * BATCH_SIZE;

async function open(of: { readonly db?: typeof db; readonly batchSize?: number } = {}) {
  const { verifier } = createScript();
  const service = await startStoredService(of.db ?? db, { verifier });
  const accountId = await makeAccount(db, 200_000);
  const { batchSize = BATCH_SIZE } = of;
  await db.updateTable('accounts').set({ batch_size: batchSize }).where('id', '=', accountId).execute();
  const { key } = await storeKey(db, accountId, { kind: 'private', mode: 'live' });
  const post = (type: string, payload: string | Readable, headers: Record<string, string> = {}) =>
    service.ask({
      ...{ method: 'POST', url: '/v1/batch', payload },
      headers: { authorization: `Bearer ${key}`, 'content-type': type, ...headers },
    });
  return { service, accountId, key, post };
}

/** As long as an address can be, so that a body of 8 MiB is too small for them. */
const long = (index: number) => `u${index}@company${index % 70}.example`.padStart(200, 'x');
const many = (count: number) => Array.from({ length: count }, (_, index) => long(index));
type Encode = (emails: readonly string[]) => [type: string, payload: string];
const asList: Encode = (emails) => ['application/json', JSON.stringify({ emails, retries: false })];
const asForm: Encode = (emails) => [
  FORM,
  `${new URLSearchParams({ emails: emails.join(), retries: 'false' })}`,
];
const ENCODINGS: readonly Encode[] = [
  asList,
  (emails) => ['application/json', JSON.stringify({ emails: emails.join('\r\n'), retries: false })],
  asForm,
  (emails) => {
    const { type, payload } = multipart(Object.entries({ retries: 'false', emails: emails.join('\n') }));
    return [type, payload];
  },
];

const digestOf = async (id: string) => {
  const { rows } = await sql<{ digest: string; rows: number; duplicates: number }>`
    select md5(string_agg(concat_ws(' ', place, address, duplicates, turn), ',' order by place)) as digest,
      count(*) as rows, sum(duplicates)::bigint as duplicates
    from batch_rows where batch_id = ${id}
  `.execute(db);
  return rows[0]!;
};

it('takes a body over 8 MiB in every encoding, and makes the same batch of it as of a small one', async () => {
  const { post, accountId } = await open();
  const emails = [...many(50_001), ...many(3).map((email) => email.toUpperCase()), '', 'no address'];
  const found = [];
  for (const encode of ENCODINGS) {
    const [type, payload] = encode(emails);
    expect(payload.length).toBeGreaterThan(8 * MIB);
    const answer = await post(type, payload);
    expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('"id":"')]);
    found.push(await digestOf(answer.json<{ id: string }>().id));
    await db.updateTable('accounts').set({ stored_entries: 5_000_000 }).where('id', '=', accountId).execute();
    await topUp(db, accountId, 50_002);
  }
  expect(found[0]).toMatchObject({ rows: 50_002, duplicates: 3 });
  for (const other of found) expect(other).toEqual(found[0]);
  const made = db
    .selectFrom('batches')
    .select(['total', 'distinct_total'])
    .where('account_id', '=', accountId);
  expect(await made.executeTakeFirst()).toEqual({ total: 50_005, distinct_total: 50_002 });
  expect(await creditsOf(db, accountId)).toBe(200_000);
});

it('inserts the addresses in statements of at most 5,000 in one transaction', async () => {
  const counted = countRoundTrips(database.url);
  onTestFinished(() => counted.close());
  const { post } = await open({ db: counted.db });
  counted.take();
  expect((await post(...asList(many(50_001)))).statusCode).toBe(200);
  const statements = counted.take();
  const inserts = statements.filter((text) => text.includes('insert into batch_rows'));
  expect(inserts).toHaveLength(Math.ceil(50_001 / PART));
  const begins = statements.filter((text) => /^begin/i.test(text));
  expect(begins).toHaveLength(1);
  const inside = statements.slice(statements.indexOf(begins[0]!), statements.lastIndexOf('commit'));
  expect(inside.filter((text) => text.includes('batch_rows'))).toEqual(inserts);
});

it('takes as many addresses as the account may send, and refuses one more', async () => {
  const { post, accountId } = await open({ batchSize: 50_001 });
  const failure = failureOf(await post(...asList(many(50_002))));
  expect(failure).toEqual([400, 'Expected at most 50001 addresses in emails, got more.']);
  expect(await creditsOf(db, accountId)).toBe(200_000);
});

it('names the limit of the account for a larger body', async () => {
  const { post } = await open();
  for (const [type, begin] of [
    ['application/json', '{"emails":"'],
    [FORM, 'emails='],
  ] as const) {
    const payload = begin.padEnd(LARGEST_BODY + 1, 'a@b.example,');
    const message = `Expected a body of at most ${LARGEST_BODY} bytes.`;
    expect(failureOf(await post(type, payload))).toEqual([413, message]);
    const unannounced = Readable.from(
      (function* pieces() {
        for (let at = 0; at < payload.length; at += MIB) yield Buffer.from(payload.slice(at, at + MIB));
      })(),
    );
    // Longer than any address.
    expect(failureOf(await post(type, unannounced))[0]).toBe(400);
  }
});

const tooLarge = `Expected a body of at most ${8 * 1024} KiB.`;

it('takes 8 MiB if the credential stands in the body, or the account has no larger batch size', async () => {
  const { service, key } = await open();
  const payload = JSON.stringify({ api_key: key, emails: many(50_001) });
  const headers = { 'content-type': 'application/json' };
  const send = () => service.ask({ method: 'POST', url: '/v1/batch', headers, payload });
  expect(failureOf(await send())).toEqual([413, tooLarge]);
  for (const batchSize of [1_000, 30_000, 50_000]) {
    const { post } = await open({ batchSize });
    expect(failureOf(await post('application/json', payload))).toEqual([413, tooLarge]);
    const unannounced = Readable.from([Buffer.from(payload)]);
    expect(failureOf(await post('application/json', unannounced))).toEqual([413, tooLarge]);
  }
});

it('answers a body above its limit that is sent whole, with and without its length', async () => {
  const { service, key } = await open({ batchSize: 1_000 });
  const address = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const body = Buffer.alloc(8 * MIB + 100_000, 'a@b.example,');
  for (const isAnnounced of [true, false]) {
    const own = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const headers = { ...own, ...(isAnnounced && { 'content-length': body.length }) };
    const sent = request(`${address}/v1/batch`, { method: 'POST', headers });
    const answered = once(sent, 'response');
    sent.end(body);
    const [response] = await answered;
    expect([response.statusCode, JSON.parse(await text(response))]).toEqual([413, { message: tooLarge }]);
  }
});

it('takes the larger body with the credential in the query', async () => {
  const { service, key } = await open();
  const [type, payload] = asForm(many(50_001));
  const headers = { 'content-type': type };
  const url = `/v1/batch?api_key=${key}`;
  expect((await service.ask({ method: 'POST', url, headers, payload })).statusCode).toBe(200);
});

it('refuses a credential that is not accepted before the body has come', async () => {
  const { service } = await open();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = service.app.server.address() as { port: number };
  for (const [line, status] of [
    ['Authorization: Bearer live_unknown', 403],
    ['X-Nothing: here', 413],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    // Not one byte of the body is sent.
    socket.write(
      `POST /v1/batch HTTP/1.1\r\nHost: x\r\n${line}\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n`,
    );
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(String(answer).toLowerCase()).toContain('connection: close');
  }
});

it('repeats the first response for an Idempotency-Key, whatever the encoding and the size of the body', async () => {
  const { post, accountId } = await open();
  const emails = many(50_001);
  const keyed = { 'idempotency-key': 'order-1' };
  const answers = [];
  for (const encode of ENCODINGS) answers.push((await post(...encode(emails), keyed)).body);
  expect(new Set(answers).size).toBe(1);
  expect((await post(...asList(emails.slice(1)), keyed)).statusCode).toBe(422);
  expect(await creditsOf(db, accountId)).toBe(200_000 - 50_001);
});

it('has for a request the same digest as the versions that held it in memory', async () => {
  const { post, accountId } = await open();
  const emails = ['Ada@b.example', 'ada@b.example', '"c,d"@e.example'];
  const payload = { emails, response_fields: ['state', 'email'] };
  const answer = await post('application/json', JSON.stringify(payload), { 'idempotency-key': 'order-2' });
  expect(answer.statusCode).toBe(200);
  const wanted = {
    ...{ accountId, mode: 'live', total: 3 },
    entries: [
      { address: 'Ada@b.example', duplicates: 1 },
      { address: '"c,d"@e.example', duplicates: 0 },
    ],
    ...{ responseFields: ['email', 'state'], retries: true, url: null },
  };
  const { rows } = await sql<{ is_same: boolean }>`
    select request = sha256(convert_to(${`/v1/batch\n${JSON.stringify(wanted)}`}, 'UTF8')) as is_same
    from idempotency where account_id = ${accountId}
  `.execute(db);
  expect(rows).toEqual([{ is_same: true }]);
});

it('reads two large bodies of an account at once, and one more after one of them has ended', async () => {
  const { post } = await open();
  const hold = () => {
    const body = new Readable({ read() {} });
    body.push('{"emails":["a@b.example",');
    const answer = post('application/json', body);
    // The service has begun to read it.
    const isBegun = () => body.readableLength === 0;
    return { answer, isBegun, end: () => body.push('"c@d.example"]}') && body.push(null) };
  };
  const held = [hold(), hold()];
  await vi.waitUntil(() => held.every(({ isBegun }) => isBegun()), PATIENTLY);
  const refused = await post(...asList(many(50_001)));
  const message = expect.stringContaining('at most 2 large batches of an account at once');
  expect(failureOf(refused)).toEqual([429, message]);
  expect(refused.headers['retry-after']).toBe('10');
  held[0]!.end();
  expect((await held[0]!.answer).statusCode).toBe(200);
  const next = hold();
  for (const each of [held[1]!, next]) each.end();
  for (const each of [held[1]!, next]) expect((await each.answer).statusCode).toBe(200);
});

it('frees the place of a large body whose client has gone', async () => {
  const { service, accountId, key } = await open();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = service.app.server.address() as { port: number };
  const begin = async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    await once(socket, 'connect');
    socket.write(
      `POST /v1/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${9 * MIB}\r\n\r\n{"emails":["`,
    );
    return socket;
  };
  const hasPlace = () => {
    const release = largeBatches.take(accountId);
    release?.();
    return release !== undefined;
  };
  const sockets = [await begin(), await begin()];
  await vi.waitUntil(() => !hasPlace(), PATIENTLY);
  for (const socket of sockets) socket.destroy();
  await vi.waitUntil(hasPlace, PATIENTLY);
});
