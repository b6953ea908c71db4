/** No body, however it is made, occupies the process for long. Its work is counted for each turn of the event loop. */
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES } from '../../../src/service/core/bounds.ts';
import { STEP_CHARACTERS } from '../../../src/shared/steps.ts';
import { makeAccount } from '../support/account.ts';
import { testDatabase } from '../support/database.ts';
import { type HostileBody, hostileBodies, worstBodies } from '../support/hostile-bodies.ts';
import { routesWithBody } from '../support/routes.ts';
import { startStoredService, storeKey } from '../support/stored-service.ts';
import { countWork } from '../support/work-per-turn.ts';

const { db } = await testDatabase();

/** A step takes five units for each of its characters. */
const MOST_WORK = 6 * STEP_CHARACTERS;
/** What a connection brings in one turn. */
const CHUNK = 64 * 1024;

function inChunks(body: Buffer): Readable {
  let at = 0;
  return new Readable({
    read() {
      setImmediate(() => {
        this.push(at < body.length ? body.subarray(at, at + CHUNK) : null);
        at += CHUNK;
      });
    },
  });
}

async function open() {
  const service = await startStoredService(db);
  const accountId = await makeAccount(db);
  const { key } = await storeKey(db, accountId);
  await service.app.ready();
  const send = async (url: string, { type, make }: HostileBody, isAnnounced = true) => {
    const body = make();
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': type,
      ...(isAnnounced && { 'content-length': `${body.length}` }),
    };
    const payload = inChunks(body);
    let status = 0;
    const work = await countWork(async () => {
      status = (await service.app.inject({ method: 'POST', url, headers, payload })).statusCode;
    });
    return { ...work, status };
  };
  const expectLittleWork = async (url: string, body: HostileBody) => {
    const { most, status } = await send(url, body);
    expect.soft(most, `the work of ${body.name} for ${url}`).toBeLessThan(MOST_WORK);
    expect.soft(status, `${body.name} for ${url}`).toBeLessThan(500);
  };
  return { app: service.app, send, expectLittleWork, accountId };
}

/** Where a body is cut into steps, its length does not change what one step does. */
const bodiesOf = (size: number) => [
  ...worstBodies(size),
  ...hostileBodies(Math.min(size, 4 * STEP_CHARACTERS)),
];

it('takes at most one step of work in a turn for a batch of 8 MiB, whatever it consists of', async () => {
  const { expectLittleWork } = await open();
  for (const body of bodiesOf(MAX_BATCH_BODY_BYTES)) await expectLittleWork('/v1/batch', body);
});

it('does so for the largest batch that an account may send', async () => {
  const { send } = await open();
  const emails = Array.from({ length: 50_000 }, (_, index) => `${index}@company.example`.padStart(160, 'x'));
  const make = () => Buffer.from(JSON.stringify({ emails }));
  const { most, status } = await send('/v1/batch', { name: 'addresses', type: 'application/json', make });
  expect(status).toBe(200);
  expect(most).toBeLessThan(MOST_WORK);
});

it('does so for larger bodies of an account that may send them', async () => {
  const { expectLittleWork, accountId } = await open();
  await db.updateTable('accounts').set({ batch_size: 60_000 }).where('id', '=', accountId).execute();
  for (const body of worstBodies(330 * 60_000)) await expectLittleWork('/v1/batch', body);
});

it('does so for as much beside the addresses, of a body that does not say how long it is', async () => {
  const { send, accountId } = await open();
  await db.updateTable('accounts').set({ batch_size: 60_000 }).where('id', '=', accountId).execute();
  const form = 'application/x-www-form-urlencoded';
  const size = MAX_BATCH_BODY_BYTES - 1_000;
  for (const { name, type, begin, text, end, expected } of [
    { name: 'names', type: form, begin: '', text: 'a&', end: 'emails=a@b.example', expected: 413 },
    { name: 'pairs', type: form, begin: '', text: 'a=b&', end: 'emails=a@b.example', expected: 413 },
    { name: 'nothing', type: form, begin: 'emails=a@b.example', text: '&', end: '', expected: 413 },
    { name: 'a value', type: form, begin: 'x=', text: 'a', end: '&emails=a@b.example', expected: 200 },
    {
      ...{ name: 'a text', type: 'application/json', begin: '{"x":"', text: 'a' },
      ...{ end: '","emails":"a@b.example"}', expected: 200 },
    },
  ]) {
    const make = () => Buffer.from(begin + text.repeat(Math.floor(size / text.length)) + end);
    const { most, status } = await send('/v1/batch', { name, type, make }, false);
    expect.soft(most, `the work of ${name}`).toBeLessThan(MOST_WORK);
    expect.soft(status, name).toBe(expected);
  }
});

it('does so for every other route that takes a body', async () => {
  const { app, expectLittleWork } = await open();
  const urls = routesWithBody(app).filter((url) => url !== '/v1/batch');
  const expected = expect.arrayContaining(['/v1/verify', '/oauth/token', '/login', '/dashboard/lists/:id']);
  expect(urls).toEqual(expected);
  const worst = new Set(worstBodies(MAX_BODY_BYTES).map(({ name }) => name));
  for (const [index, body] of bodiesOf(MAX_BODY_BYTES).entries()) {
    // One parser reads the bodies of all routes, so each route gets the worst, and an eighth of the others.
    const chosen = urls.filter((_, place) => worst.has(body.name) || (index + place) % 8 === 0);
    for (const url of chosen) await expectLittleWork(url, body);
  }
});
