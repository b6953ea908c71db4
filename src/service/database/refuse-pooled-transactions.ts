/**
 * Refuses a pooler that gives each transaction another session, such as PgBouncer with `pool_mode = transaction`. The
 * lock by which a process is alive belongs to a session, so there it would belong to whoever gets the session next.
 */
import pg from 'pg';
import { connectionOptions, limitSession, type Server } from './connection.ts';
import { DatabaseError } from './database-error.ts';

/** Several, because other clients of the pooler may take the session at the wrong moment. */
const ROUNDS = 3;

/** @param what the server in one line, for the message @throws {DatabaseError} if the session of a connection changes */
export async function refusePooledTransactions(server: Server, what: string): Promise<void> {
  const [one, other] = [await connect(server), await connect(server)];
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      if (await isPooled(one, other)) throw new DatabaseError(message(what));
  } finally {
    // Not awaited, because a hanging server would delay the next attempt.
    for (const client of [one, other]) void client.end().catch(() => {});
  }
}

/**
 * Two connections have two sessions. One that is free after a statement is given to the other connection, or, if the
 * pooler gives that one another, the first connection does not get its own again.
 */
async function isPooled(one: pg.Client, other: pg.Client): Promise<boolean> {
  const first = await sessionOf(one);
  if (first === (await sessionOf(other))) return true;
  await other.query('begin');
  const isTaken = first === (await sessionOf(other)) || first !== (await sessionOf(one));
  await other.query('rollback');
  return isTaken;
}

/** Commands print one line of 300 characters. */
const message = (what: string) =>
  `Expected a session for each connection, but a pooler in front of ${what} pools by transaction or by statement, so locks would be lost. In PgBouncer, set pool_mode = session, or name the PostgreSQL server itself in the database URL.`;

async function connect(server: Server): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(server));
  client.on('error', () => {});
  await client.connect();
  limitSession(client);
  return client;
}

async function sessionOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
