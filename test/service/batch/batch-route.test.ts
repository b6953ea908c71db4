/** `/v1/batch` over HTTP, on a real database. */
import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { REASONS } from '../../../src/protocol/result.ts';
import { forgetResults } from '../../../src/service/batch/batch-store.ts';
import { workOff } from '../../../src/service/batch/samples.ts';
import { inLong } from '../../in-long.ts';
import { creditsOf, ledgerOf, topUp } from '../support/account.ts';
import { batchOf, COMPLETED, OPEN, PAUSED, rowsOf } from '../support/batch.ts';
import { testDatabase } from '../support/database.ts';
import { DEPS, settingsWith } from '../support/deps.ts';
import { holdGrace } from '../support/held-timers.ts';
import {
  beginSecond,
  createScript,
  failureOf,
  makeCustomer,
  type StoredServiceOptions,
  startServiceOfFile,
  startStoredService,
  storeKey,
} from '../support/stored-service.ts';
import { FORM, multipart } from '../testing.ts';

const { db } = await testDatabase();
holdGrace();

const TEST = { kind: 'private', mode: 'test' } as const;
const LIVE = { kind: 'private', mode: 'live' } as const;
const VERIFIER = createScript().verifier;
const usual = await startServiceOfFile(db, { verifier: VERIFIER });
const UNKNOWN_ID = '0123456789abcdef01234567';

async function open(
  options: StoredServiceOptions & { key?: typeof TEST | typeof LIVE; credits?: number } = {},
) {
  const { key: kind = TEST, credits = 0, ...others } = options;
  const isUsual = Object.keys(others).length === 0;
  const service = isUsual ? usual : await startStoredService(db, { verifier: VERIFIER, ...others });
  const { accountId, key, headers: own } = await makeCustomer(db, credits, kind);
  const post = (payload: object, more: InjectOptions = {}) =>
    service.ask({ method: 'POST', url: '/v1/batch', payload, ...more, headers: { ...own, ...more.headers } });
  const get = (query: Record<string, string>) =>
    service.ask({ url: `/v1/batch?${new URLSearchParams(query)}`, headers: own });
  const create = async (payload: object) => {
    const answer = await post(payload);
    expect(answer.statusCode).toBe(200);
    return answer.json<{ id: string }>().id;
  };
  const batches = async () =>
    (await db.selectFrom('batches').select('id').where('account_id', '=', accountId).execute()).length;
  return { service, accountId, key, post, get, create, batches };
}

const emailsOf = ({ emails }: { emails: { email: string }[] }) => emails.map(({ email }) => email);
const AB = ['a@company.example', 'b@company.example'];
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => `user${index}@company${index % 70}.example`);
const sum = (counts: Record<string, number>, names: readonly string[]) =>
  names.reduce((total, name) => total + counts[name]!, 0);
const FOUR = ['deliverable', 'undeliverable', 'risky', 'unknown'];

describe('POST', () => {
  it('answers with a message and an id of 24 hexadecimal digits', async () => {
    const { post } = await open();
    const answer = await post({ emails: 'a@company.example' });
    expect(answer.json()).toEqual({
      message: 'Batch successfully created.',
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
    });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  const fields = { emails: AB.join(), retries: 'false', response_fields: 'email, state' };
  const lists = { emails: AB, retries: false, response_fields: ['state', 'email'] };
  const form = multipart(Object.entries(fields));
  it.each([
    ['form-encoded', FORM, new URLSearchParams(fields).toString()],
    ['multipart', form.type, form.payload],
    ['JSON', 'application/json', JSON.stringify(fields)],
    ['JSON with lists', 'application/json', JSON.stringify(lists)],
  ])('reads a %s body', async (_, type, payload) => {
    const { service, key, get } = await open();
    const url = `/v1/batch?api_key=${key}`;
    const answer = await service.ask({ method: 'POST', url, payload, headers: { 'content-type': type } });
    expect(answer.statusCode).toBe(200);
    const { id } = answer.json();
    const body = (await get({ id })).json();
    expect(emailsOf(body)).toEqual(AB);
    expect(Object.keys(body.emails[0])).toEqual(['email', 'state']);
    expect(await batchOf(db, id)).toMatchObject({ retries: false, accept_all: null });
  });

  it.each([
    [{}, null, null],
    [{ accept_all: 'true' }, true, false],
    [{ accept_all: false }, false, null],
  ])('keeps accept_all, which a test batch has by request only: %j', async (more, kept, shown) => {
    const { create, get } = await open();
    const id = await create({ emails: 'Jo+x@company.example', ...more });
    expect((await batchOf(db, id)).accept_all).toBe(kept);
    expect((await get({ id })).json().emails[0].accept_all).toBe(shown);
  });

  const filePart = (name: string, fileType: string, text: string | Buffer) =>
    Buffer.concat([
      Buffer.from(
        `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="list.csv"\r\nContent-Type: ${fileType}\r\n\r\n`,
      ),
      Buffer.from(text),
      Buffer.from('\r\n--edge--\r\n'),
    ]);
  const sendAs = async (payload: string | Buffer, type: string) => {
    const { post, get, batches } = await open();
    const answer = await post({}, { payload, headers: { 'content-type': type } });
    if (answer.statusCode !== 200) return { failure: failureOf(answer), batches: await batches() };
    return { emails: emailsOf((await get({ id: answer.json().id })).json()) };
  };

  it.each([
    ['lines', 'text/csv', AB.join('\n')],
    ['lines of Windows, after a byte order mark', 'text/csv', `\ufeff${AB.join('\r\n')}\r\n`],
    ['commas', 'text/plain', AB.join(', ')],
    ['lines in a file of unknown type', 'application/octet-stream', AB.join('\n')],
    ['a list of JSON', 'application/json', JSON.stringify(AB)],
  ])('takes a file for its text: %s', async (_, type, text) => {
    expect(await sendAs(filePart('emails', type, text), form.type)).toEqual({ emails: AB });
  });

  const csv = (text: string | Buffer) => filePart('emails', 'text/csv', text);
  it.each([
    ['of a spreadsheet in UTF-16', csv(Buffer.from('\ufeffa@b', 'utf16le')), 'Expected UTF-8 in the body.'],
    ['of bytes that are not UTF-8', csv(Buffer.from([0x61, 0xff])), 'Expected UTF-8 in the body.'],
    ['without an address', csv('\r\n'), 'got only empty entries'],
    ['for another parameter', filePart('url', 'text/plain', 'x'), 'got a file in "url".'],
    ['for an entry of a list', filePart('emails[]', 'text/plain', 'x'), 'got a file in "emails[]".'],
    ['with a long name', filePart('x'.repeat(99), 'text/plain', 'x'), `a file in "${'x'.repeat(40)}".`],
  ])('refuses a file %s', async (_, payload, message) => {
    const failure = [400, expect.stringContaining(message)];
    expect(await sendAs(payload, form.type)).toEqual({ failure, batches: 0 });
  });

  it('bounds a file as it bounds the text of a field', async () => {
    const sent = (text: string) => sendAs(csv(text), form.type);
    expect(await sent('x'.repeat(8 * 1024 * 1024))).toMatchObject({ failure: [413, expect.anything()] });
    expect(await sent('\n'.repeat(500_002))).toMatchObject({
      failure: [400, 'Expected at most 500000 empty entries in emails, got more.'],
    });
  });

  /** A form with an address in each of two fields, in both encodings. */
  const asForm = (first: string, second: string) => {
    const pairs = [first, second].map((name, index): [string, string] => [name, AB[index]!]);
    const encoded = [new URLSearchParams(pairs).toString(), FORM] as const;
    return [encoded, [multipart(pairs).payload, form.type] as const];
  };

  it.each([
    ['emails[]', 'emails[]'],
    ['emails[0]', 'emails[1]'],
    ['emails[7]', 'emails[]'],
  ])('takes fields %s and %s for a list, as PHP and Rails write it', async (first, second) => {
    for (const [payload, type] of asForm(first, second))
      expect(await sendAs(payload, type)).toEqual({ emails: AB });
  });

  it('takes fields response_fields[] for a list', async () => {
    const { post, get } = await open();
    const sent = { emails: AB[0]!, 'response_fields[0]': 'state', 'response_fields[1]': 'email' };
    const payload = new URLSearchParams(sent).toString();
    const { id } = (await post({}, { payload, headers: { 'content-type': FORM } })).json();
    expect(Object.keys((await get({ id })).json().emails[0])).toEqual(['email', 'state']);
  });

  it('says how to send several addresses in fields of one name, and refuses two ways at once', async () => {
    const differ = 'Expected one value for emails, got several that differ. Name each of them emails[].';
    for (const [payload, type] of asForm('emails', 'emails'))
      expect((await sendAs(payload, type)).failure).toEqual([400, differ]);
    for (const [payload, type] of asForm('emails', 'emails[]'))
      expect((await sendAs(payload, type)).failure).toEqual([400, 'Expected emails or emails[], got both.']);
  });

  it.each([
    ['True', '"True"'],
    ['1', '"1"'],
    [1, '1'],
    ['x'.repeat(99), `"${'x'.repeat(39)}…`],
  ])('names the words for a switch that is %j, and quotes only its beginning', async (value, got) => {
    const { post } = await open();
    const message = `Expected retries to be true or false (these words, in lower case), got ${got}.`;
    expect(failureOf(await post({ emails: 'a@b.example', retries: value }))).toEqual([400, message]);
  });

  it.each([
    ['no emails', {}, 'emails'],
    ['emails that are not texts', { emails: [7] }, 'emails'],
    ['an unknown field', { emails: 'a@b.example', response_fields: 'email,age' }, '"age"'],
    ['the field duration', { emails: 'a@b.example', response_fields: 'duration' }, '"duration"'],
    ['the field birth_year', { emails: 'a@b.example', response_fields: ['birth_year'] }, '"birth_year"'],
    ['no field', { emails: 'a@b.example', response_fields: '' }, 'response_fields'],
    ['accept_all that is neither', { emails: 'a@b.example', accept_all: 'yes' }, 'accept_all'],
    ['retries that are neither', { emails: 'a@b.example', retries: 'yes' }, 'retries'],
    ['another failure to simulate', { emails: 'a@b.example', simulate: 'fire' }, '"fire"'],
    ['a private callback', { emails: 'a@b.example', url: 'http://127.0.0.1/' }, 'url'],
    ['a callback that is no text', { emails: 'a@b.example', url: 7 }, 'url'],
  ])('refuses %s with a 400 that names it', async (_, payload, name) => {
    const { post, batches } = await open();
    expect(failureOf(await post(payload))).toEqual([400, expect.stringContaining(name)]);
    expect(await batches()).toBe(0);
  });

  const PARAMETERS = ['emails', 'url', 'response_fields', 'retries', 'accept_all', 'simulate'];
  it.each([...PARAMETERS, 'emails[]', 'emails[0]'])('refuses %s in the query', async (name) => {
    const { post } = await open();
    const answer = await post({ emails: 'a@b.example' }, { url: `/v1/batch?${name}=true` });
    expect(failureOf(answer)).toEqual([400, expect.stringContaining(name.replace(/\[.*/, ''))]);
  });

  it("refuses more addresses than the account's batch size", async () => {
    const { post, accountId } = await open();
    await db.updateTable('accounts').set({ batch_size: 2 }).where('id', '=', accountId).execute();
    expect((await post({ emails: many(2) })).statusCode).toBe(200);
    expect(failureOf(await post({ emails: many(3) }))).toEqual([400, expect.stringContaining('2 addresses')]);
  });

  inLong('refuses 50,001 addresses with a 400, and a body over 8 MiB with a 413', async () => {
    const { post } = await open();
    const emails = Array.from({ length: 50_001 }, (_, index) => `u${index}`.padEnd(20, 'x'));
    expect((await post({ emails: emails.join() })).statusCode).toBe(400);
    const answer = await post({ emails: 'x'.repeat(8 * 1024 * 1024) });
    expect(failureOf(answer)).toEqual([413, 'Expected a body of at most 8192 KiB.']);
  });

  it.each([
    ['form-encoded', FORM, (text: string) => `emails=${encodeURIComponent(text)}`],
    ['multipart', multipart([]).type, (text: string) => multipart([['emails', text]]).payload],
  ])('takes a large %s body', async (_, type, payload) => {
    const { post } = await open();
    const answer = await post(payload(many(3_000).join()) as never, { headers: { 'content-type': type } });
    expect(answer.statusCode).toBe(200);
  });

  inLong('takes 50,000 addresses', async () => {
    const { post, get } = await open();
    const emails = many(50_000);
    const { id } = (await post({ emails })).json();
    expect((await get({ id })).json()).toEqual({ message: OPEN, processed: 0, total: 50_000 });
    // Other tests work off what is open.
    await db.deleteFrom('batches').where('id', '=', id).execute();
  });

  it('refuses public keys, keys of the config and missing keys', async () => {
    const { service, accountId } = await open({ keys: [{ key: 'test_config', kind: 'private' }] });
    const page = await storeKey(db, accountId, { kind: 'public', mode: 'test' });
    for (const request of [{ method: 'GET' }, { method: 'POST', payload: { emails: 'a@b.c' } }] as const) {
      const statusOf = async (headers: Record<string, string>) =>
        (await service.ask({ ...request, url: '/v1/batch', headers })).statusCode;
      const headers = { origin: 'https://shop.example', authorization: `Bearer ${page.key}` };
      expect(await statusOf(headers)).toBe(403);
      expect(await statusOf({ authorization: 'Bearer test_config' })).toBe(403);
      expect(await statusOf({ authorization: 'Bearer test_unknown' })).toBe(403);
      expect(await statusOf({})).toBe(401);
    }
  });

  it('counts together with GET, whatever the response is', async () => {
    const { post, get, accountId } = await open({ limits: { batchPerSecond: 3 } });
    await beginSecond(db, accountId, '/v1/batch');
    expect((await get({ id: UNKNOWN_ID })).statusCode).toBe(404);
    expect((await post({})).statusCode).toBe(400);
    expect((await post({ emails: 'a@b.example' })).statusCode).toBe(429);
    expect((await get({ id: UNKNOWN_ID })).statusCode).toBe(429);
  });
});

describe('credits', () => {
  it('pay for distinct addresses, in one piece', async () => {
    const { create, accountId } = await open({ key: LIVE, credits: 5 });
    await create({ emails: 'a@b.example,A@b.example,c@b.example' });
    expect(await creditsOf(db, accountId)).toBe(3);
    expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1, batch: 1 });
  });

  it('that are missing are a 402 with both numbers, and nothing is created', async () => {
    const { post, accountId, batches } = await open({ key: LIVE, credits: 2 });
    const [status, message] = failureOf(await post({ emails: many(3) }));
    expect([status, message.match(/\d+/g)]).toEqual([402, ['3', '2']]);
    expect([await batches(), await creditsOf(db, accountId)]).toEqual([0, 2]);
  });

  it('pay for as many of several batches at once as they last', async () => {
    const { post, accountId, batches } = await open({ key: LIVE, credits: 7 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => post({ emails: many(2) })));
    const statuses = answers.map(({ statusCode }) => statusCode).sort();
    expect(statuses).toEqual([...Array(3).fill(200), ...Array(5).fill(402)]);
    expect([await batches(), await creditsOf(db, accountId)]).toEqual([3, 1]);
  });

  it('are asked of billing, which can add or refuse them', async () => {
    const asked: unknown[] = [];
    const billing = {
      async ask(missing: { accountId: string; needed: number; available: number }) {
        asked.push([missing.needed, missing.available]);
        if (asked.length > 1) return { kind: 'refused', message: 'The card is empty.' } as const;
        await sql`select change_credits(${missing.accountId}, 2, 'billing', 'x')`.execute(db);
        return { kind: 'credited' } as const;
      },
    };
    const { post, accountId } = await open({ key: LIVE, credits: 1, billing });
    expect((await post({ emails: many(3) })).statusCode).toBe(200);
    expect(failureOf(await post({ emails: many(4) }))).toEqual([402, 'The card is empty.']);
    expect(asked).toEqual([
      [3, 1],
      [4, 0],
    ]);
    expect(await creditsOf(db, accountId)).toBe(0);
  });

  it.each([
    ['callback_url', 'url'],
    ['callback', 'url'],
    ['webhook', 'url'],
    ['webhook_url', 'url'],
    ['list', 'emails'],
    ['email', 'emails'],
    ['fields', 'response_fields'],
    ['response_field', 'response_fields'],
    ['retrie', 'retries'],
    ['accept-all', 'accept_all'],
  ])('are not charged for the parameter %s, in any encoding: the 400 names %s', async (sent, right) => {
    const { post, accountId, batches } = await open({ key: LIVE, credits: 9 });
    const payload = { emails: 'jane@company.example', [sent]: 'x' };
    const parts = multipart(Object.entries(payload));
    const encoded = (payload: string, type: string) =>
      post({}, { payload, headers: { 'content-type': type } });
    const answers = [
      await post(payload),
      await encoded(new URLSearchParams(payload).toString(), FORM),
      await encoded(parts.payload, parts.type),
      await post({ emails: payload.emails }, { url: `/v1/batch?${sent}=x` }),
    ];
    const message = `Expected the parameter ${right}, got ${sent}. Rename it.`;
    expect(answers.map(failureOf)).toEqual(answers.map(() => [400, message]));
    expect([await batches(), await creditsOf(db, accountId)]).toEqual([0, 9]);
  });

  it('pay for a request with other unknown parameters, which are ignored', async () => {
    const { create, accountId } = await open({ key: LIVE, credits: 9 });
    await create({ emails: 'jane@company.example', retires: 'x', urll: 'x', source: 'x' });
    expect(await creditsOf(db, accountId)).toBe(8);
  });

  it('are not taken from test keys', async () => {
    const { create, accountId } = await open({ credits: 1 });
    await create({ emails: many(3) });
    expect(await ledgerOf(db, accountId)).toEqual({ 'top-up': 1 });
  });

  it('are not taken while live keys cannot be served', async () => {
    const closed = await open({ key: LIVE, credits: 3, isPortClosed: () => true });
    const absent = await open({ key: LIVE, credits: 3, verifier: undefined as never });
    const failures = [closed, absent].map(async ({ post }) => failureOf(await post({ emails: many(1) })));
    expect(await Promise.all(failures)).toEqual([
      [503, expect.stringContaining('doctor')],
      [503, expect.stringContaining('"live"')],
    ]);
    expect([await closed.batches(), await creditsOf(db, closed.accountId)]).toEqual([0, 3]);
  });
});

describe('Idempotency-Key', () => {
  const once = { headers: { 'idempotency-key': 'order-1' } };

  it('makes one batch of several requests, in any encoding, and charges once', async () => {
    const { post, accountId, batches } = await open({ key: LIVE, credits: 9 });
    const first = await post({ emails: many(2) }, once);
    const again = await post({ emails: many(2).join() }, once);
    expect(again.body).toBe(first.body);
    expect(again.statusCode).toBe(200);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect([await batches(), await creditsOf(db, accountId)]).toEqual([1, 7]);
    expect((await post({ emails: many(3) }, once)).statusCode).toBe(422);
    expect((await post({ emails: many(2), retries: false }, once)).statusCode).toBe(422);
  });

  it('makes one batch of parallel requests', async () => {
    const { post, accountId, batches } = await open({ key: LIVE, credits: 9 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => post({ emails: many(2) }, once)));
    expect(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 409)).toBe(true);
    expect([await batches(), await creditsOf(db, accountId)]).toEqual([1, 7]);
  });

  it('repeats its response while live keys cannot be served', async () => {
    let isClosed = false;
    const { post } = await open({ key: LIVE, credits: 9, isPortClosed: () => isClosed });
    const first = await post({ emails: many(2) }, once);
    const other = { headers: { 'idempotency-key': 'order-2' } };
    isClosed = true;
    expect((await post({ emails: many(2) }, once)).body).toBe(first.body);
    expect((await post({ emails: many(2) }, other)).statusCode).toBe(503);
    isClosed = false;
    expect((await post({ emails: many(2) }, other)).statusCode).toBe(200);
  });

  it('is free again after a 402', async () => {
    const { post, accountId } = await open({ key: LIVE });
    expect((await post({ emails: many(1) }, once)).statusCode).toBe(402);
    await topUp(db, accountId, 1);
    expect((await post({ emails: many(1) }, once)).statusCode).toBe(200);
  });
});

describe('GET', () => {
  it('has the results of a small test batch at once, as /v1/verify has them', async () => {
    const { service, key, create, get } = await open();
    const emails = ['Jo+x@company.example', 'no address', 'JO+x@company.example', '\0\ud800'];
    const id = await create({ emails });
    const answer = await get({ id });
    const body = answer.json();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Object.keys(body)).toEqual(['message', 'id', 'emails', 'reason_counts', 'total_counts']);
    expect(body).toMatchObject({ message: COMPLETED, id });
    expect(emailsOf(body)).toEqual([emails[0], emails[1], expect.stringMatching(/^\0/)]);
    const url = `/v1/verify?${new URLSearchParams({ api_key: key, email: 'Jo+x@company.example' })}`;
    const { duration: _duration, ...verified } = (await service.ask({ url })).json();
    expect(body.emails[0]).toEqual(verified);
    expect(Object.keys(body.reason_counts).sort()).toEqual([...REASONS]);
    expect(sum(body.reason_counts, REASONS)).toBe(3);
    expect(body.total_counts).toMatchObject({ processed: 4, total: 4, duplicate: 1 });
    expect(sum(body.total_counts, FOUR)).toBe(3);
  });

  it('returns every text as it was sent', async () => {
    const { create, get } = await open();
    const emails = ['\0@x.test', '\ud800@x.test', '"\\"\\\\"@x.test', '{},NULL', "';--", 'é\u2028€😀@x.test'];
    const body = (await get({ id: await create({ emails }) })).json();
    expect(emailsOf(body)).toEqual(emails);
  });

  it('gives the test addresses ordinary results', async () => {
    const { create, get } = await open();
    const id = await create({ emails: 'slow@example.com,unknown@example.com,role@example.com' });
    expect((await get({ id })).json().emails).toHaveLength(3);
  });

  it('counts the processed entries of a large batch, and has no results in the response when it is completed', async () => {
    const { create, get } = await open();
    const emails = [...many(1_000), 'USER7@company7.example'];
    const id = await create({ emails });
    const before = (await get({ id, partial: 'true' })).json();
    expect(before).toEqual({ message: OPEN, processed: 0, total: 1_001 });
    await workOff({ ...DEPS, db });
    const body = (await get({ id })).json();
    expect(Object.keys(body)).toEqual(['message', 'id', 'download_file', 'reason_counts', 'total_counts']);
    expect(body.total_counts).toMatchObject({ processed: 1_001, total: 1_001, duplicate: 1 });
    expect(sum(body.total_counts, [...FOUR, 'duplicate'])).toBe(1_001);
  });

  it('has the results so far with partial=true', async () => {
    const { create, get } = await open({ key: LIVE, credits: 5 });
    const id = await create({ emails: 'a@b.example,A@b.example,c@b.example,d@b.example' });
    const none = (await get({ id, partial: 'true' })).json();
    expect(none).toMatchObject({ message: OPEN, id, emails: [] });
    const result = JSON.stringify({ email: 'a@b.example', state: 'risky' });
    await sql`
      update batch_rows set reason = 'low_quality', result = ${result} where batch_id = ${id} and place = 0
    `.execute(db);
    expect((await get({ id })).json()).toEqual({ message: OPEN, processed: 2, total: 4 });
    const some = (await get({ id, partial: 'true' })).json();
    expect(Object.keys(some)).toEqual(['message', 'id', 'emails', 'reason_counts', 'total_counts']);
    expect(some.emails).toEqual([{ email: 'a@b.example', state: 'risky' }]);
    expect(some.reason_counts.low_quality).toBe(1);
    expect(some.total_counts).toMatchObject({ risky: 1, duplicate: 1, processed: 2, total: 4 });
    await db.updateTable('batches').set({ paused_at: new Date() }).where('id', '=', id).execute();
    expect((await get({ id })).json()).toEqual({ message: PAUSED, processed: 2, total: 4 });
  });

  it.each([
    ['an unknown id', UNKNOWN_ID],
    ['an id of another shape', 'x'],
    ['an id in upper case', UNKNOWN_ID.toUpperCase()],
    ['an empty id', ''],
  ])('answers %s with a 404', async (_, id) => {
    const { get } = await open();
    expect((await get({ id })).statusCode).toBe(404);
  });

  it("answers another account's id with the 404 of an unknown one, and no id with a 400", async () => {
    const [mine, other] = [await open(), await open()];
    const id = await mine.create({ emails: 'a@b.example' });
    const answer = await other.get({ id });
    expect([answer.statusCode, answer.body]).toEqual([404, (await other.get({ id: UNKNOWN_ID })).body]);
    expect((await mine.get({})).statusCode).toBe(400);
    expect((await mine.get({ id, partial: 'maybe' })).statusCode).toBe(400);
  });

  it('has only the counts after the retention, and the addresses have left the database', async () => {
    const { create, get } = await open({ durations: { inlineResults: 600 } });
    const id = await create({ emails: 'a@b.example,c@b.example' });
    const before = (await get({ id })).json();
    await forgetResults(db);
    expect((await get({ id })).json()).toEqual(before);
    await sql`update batches set expires_at = clock_timestamp() where id = ${id}`.execute(db);
    const { emails: _emails, ...counts } = before;
    expect((await get({ id })).json()).toEqual(counts);
    await forgetResults(db);
    expect(await rowsOf(db, id)).toEqual([]);
    expect((await get({ id })).json()).toEqual(counts);
  });

  it.each([
    [1_000, 'inlineResults', 7],
    [1_001, 'downloadFile', 9],
  ])('keeps %i entries for the duration %s', async (count, _name, seconds) => {
    const durations = { inlineResults: 7, downloadFile: 9 };
    const { create } = await open({ durations });
    const id = await create({ emails: many(count) });
    await workOff({ ...DEPS, settings: settingsWith({ durations }), db });
    const { expires_at, completed_at } = await batchOf(db, id);
    expect(Number(expires_at) - Number(completed_at)).toBe(seconds * 1_000);
  });
});

describe('simulate', () => {
  const FAILURES = ['generic_error', 'insufficient_credits_error', 'payment_error', 'card_error'];

  it('causes a 500 and three different 402 on POST, and creates nothing', async () => {
    const { service, post, batches } = await open();
    const failures = await Promise.all(
      FAILURES.map(async (simulate) => failureOf(await post({ emails: 'a@b.example', simulate }))),
    );
    expect(failures.map(([status]) => status)).toEqual([500, 402, 402, 402]);
    expect(new Set(failures.map(([, message]) => message)).size).toBe(4);
    expect(await batches()).toBe(0);
    // The operator has nothing to look after.
    expect(service.logged.join()).not.toContain('unexpected error');
  });

  it('returns a batch in progress on GET, for any id', async () => {
    const { get } = await open();
    const statusOf = async (simulate: string) => (await get({ id: UNKNOWN_ID, simulate })).json();
    expect(await statusOf('importing')).toEqual({ message: OPEN, processed: 0, total: 1_000 });
    expect(await statusOf('verifying')).toEqual({ message: OPEN, processed: 500, total: 1_000 });
    expect(await statusOf('paused')).toEqual({ message: PAUSED, processed: 500, total: 1_000 });
    expect((await get({ id: UNKNOWN_ID, simulate: 'generic_error' })).statusCode).toBe(500);
    const failure = failureOf(await get({ simulate: 'card_error' }));
    expect(failure).toEqual([400, expect.stringContaining('card_error')]);
  });

  it('is refused for live keys', async () => {
    const { post, get, batches } = await open({ key: LIVE, credits: 1 });
    for (const answer of [
      await post({ emails: 'a@b.example', simulate: 'card_error' }),
      await get({ id: UNKNOWN_ID, simulate: 'verifying' }),
      await get({ id: UNKNOWN_ID, simulate: 'fire' }),
    ]) {
      expect(failureOf(answer)).toEqual([400, expect.stringContaining('simulate')]);
    }
    expect(await batches()).toBe(0);
  });
});

it('deletes the batches of an account with the account', async () => {
  const { create, accountId, batches } = await open();
  await create({ emails: many(5) });
  await db.deleteFrom('accounts').where('id', '=', accountId).execute();
  expect(await batches()).toBe(0);
});

it('logs neither addresses nor keys', async () => {
  const { service, create, get } = await open();
  await get({ id: await create({ emails: 'jo@company.example' }) });
  expect(service.logged.join()).not.toMatch(/company|test_private/);
});
