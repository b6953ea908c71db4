/**
 * The minimal route that takes a credit: Fastify, `pg`, and one debit in one transaction with the simplest statements:
 * begin, update, commit.
 *
 *   node bare-debit.mjs postgres://…   makes its own table
 */
import { fastify } from 'fastify';
import pg from 'pg';

const ACCOUNTS = 10;
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 });
await pool.query('create table bare (id integer primary key, credits bigint not null check (credits >= 0))');
await pool.query('insert into bare select id, 1000000000 from generate_series(0, $1 - 1) as id', [ACCOUNTS]);

const app = fastify();
app.get('/v1/verify', async (request) => {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(
      'update bare set credits = credits - 1 where id = $1 and credits >= 1 returning credits',
      [Number(request.headers['x-account'])],
    );
    await client.query('commit');
    return { credits: rows[0].credits };
  } finally {
    client.release();
  }
});
await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listening on http://127.0.0.1:${app.server.address().port}\n`);
