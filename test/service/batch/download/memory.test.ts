/** The memory that a download takes. */
import { expect, it } from 'vitest';
import { prepareChildren } from '../../support/children.ts';
import { testDatabase } from '../../support/database.ts';
import { makeLargeBatch } from './batches.ts';

const { db, url: databaseUrl } = await testDatabase();
const children = await prepareChildren('test/service/batch/download/child.ts');

it('takes as much memory for 50,000 results as for a few', async () => {
  const small = await makeLargeBatch(db, 1_200);
  const large = await makeLargeBatch(db, 50_000, { padding: 512 });
  const child = children.start({ DATABASE_URL: databaseUrl, NODE_OPTIONS: '--expose-gc' });
  const download = async (path: string) => {
    child.send(path);
    return child.next<{ bytes: number; grownBy: number }>();
  };
  // The first ones load code and open connections.
  await download(small.path);
  await download(small.path);
  const { bytes, grownBy } = await download(large.path);
  expect(bytes).toBeGreaterThan(10_000_000);
  // The results are 80 MB of JSON.
  expect(grownBy).toBeLessThan(40_000_000);
});
