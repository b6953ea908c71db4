import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/service/core/log.ts';
import { toLine } from '../../../src/service/core/usage-error.ts';
import { openDatabase } from '../../../src/service/database/database.ts';
import { createProcessLease } from '../../../src/service/jobs/process-lease.ts';
import { testDatabase } from '../support/database.ts';
import { hasPgBouncer, startPgBouncer, startPooler } from '../support/pooler.ts';

const { db, url } = await testDatabase();

const POOLERS = [
  ['a small pooler', startPooler] as const,
  ...(hasPgBouncer ? [['PgBouncer', startPgBouncer] as const] : []),
];
if (!hasPgBouncer) console.warn('left out, because it is not installed: PgBouncer');

describe.each(POOLERS)('behind %s', (_, start) => {
  it.each(['transaction', 'statement'] as const)(
    'refuses to start where it pools by %s, and says why, also in the line of a command',
    async (mode) => {
      const database = openDatabase({ url: await start(url, mode) }, { log: silentLog });
      onTestFinished(() => database.close());
      const error = (await database.ready.catch((reason) => reason)) as Error;
      expect(toLine(error.message)).toMatch(/set pool_mode = session, or .* in the database URL\.$/);
    },
  );

  it('works where it pools by session, with its time limits and its lock', async () => {
    const database = openDatabase({ url: await start(url, 'session') }, { log: silentLog });
    onTestFinished(() => database.close());
    await database.ready;
    const processId = randomUUID();
    const lease = createProcessLease({ processId, log: silentLog, openSession: database.openSession });
    await lease.start({});
    const isAlive = async () => {
      const { rows } = await sql<{ is_alive: boolean }>`
        select is_process_alive(${processId}) as is_alive from processes where host is not null
      `.execute(db);
      return rows[0]?.is_alive ?? false;
    };
    expect([await isAlive(), lease.isHeld()]).toEqual([true, true]);
    const { rows } = await sql`select current_setting('statement_timeout') as limit`.execute(database.db);
    expect(rows).toEqual([{ limit: '9s' }]);
    await lease.stop();
    expect(await isAlive()).toBe(false);
  });
});
