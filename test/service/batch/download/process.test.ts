/** Downloads of the built service, as processes have them. */
import { afterAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { serve } from '../../support/service-process.ts';
import { storeKey } from '../../support/stored-service.ts';
import { makeBatch } from './batches.ts';
import { READERS } from './readers.ts';

const database = await createTestDatabase();
const { db } = database;
afterAll(() => database.drop());

it('has the URL that the config names, or the one of the process, and serves the file in both', async () => {
  const own = await serve({ database: database.url });
  const named = await serve({ database: database.url, publicUrl: 'https://verify.example/api/' });
  const { id, accountId, path } = await makeBatch(db, [{ email: 'ada@company.example' }], {
    responseFields: ['email'],
  });
  const { key } = await storeKey(db, accountId, { kind: 'private', mode: 'test' });
  const urlFrom = async (address: string): Promise<string> => {
    const response = await fetch(`${address}/v1/batch?id=${id}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return ((await response.json()) as { download_file: string }).download_file;
  };
  await expect.poll(() => urlFrom(own.address), { timeout: 20_000 }).toBe(`${own.address}${path}`);
  await expect
    .poll(() => urlFrom(named.address), { timeout: 20_000 })
    .toBe(`https://verify.example/api${path}`);
  for (const { address } of [own, named]) {
    const file = Buffer.from(await (await fetch(address + path)).arrayBuffer());
    expect(await READERS[0]![1](file)).toEqual([['email'], ['ada@company.example']]);
  }
}, 60_000);
