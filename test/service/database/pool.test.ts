/** The pool of connections. `broken-connections.test.ts` has what happens when one fails. */
import { expect, it } from 'vitest';
import { openPool } from '../../../src/service/database/pool.ts';
import { testDatabase } from '../support/database.ts';

const { url } = await testDatabase();

const CALL = `
  select requests, resets_at from count_requests(
    $1, $2, $3, $4
  )
`;

const ALIVE = 'select * from is_process_alive($1)';
const SEARCH = 'select id from accounts where id = $1';

it.each([
  ['prepares a call of a function once', CALL, ['someone', '/v1/verify', [5], [null]], 1],
  ['parses each time: a call whose columns may change', ALIVE, [crypto.randomUUID()], 0],
  ['parses each time: a search, whose plan may change', SEARCH, ['nobody'], 0],
  ['parses each time: a list', 'select each from unnest($1::text[]) as each', [['one']], 0],
])('%s', async (_title, text, parameters, prepared) => {
  const pool = openPool({ connectionString: url }, 1, () => {});
  const client = await pool.connect();
  for (let time = 0; time < 2; time += 1) {
    expect((await client.query(text, parameters)).rows.length).toBeLessThanOrEqual(1);
  }
  const { rows } = await client.query('select statement from pg_prepared_statements', []);
  expect(rows).toEqual(prepared === 1 ? [{ statement: text }] : []);
  client.release();
  await pool.end();
});
