/** Commands of tests for a PostgreSQL server as a whole. */
import pg from 'pg';

/** Runs one statement on a separate connection. */
export async function runOnServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The URL with another database's name in it. */
export function databaseOnSameServer(url: string, database: string): string {
  return url.replace(/^([a-z]+:\/\/[^/?]*)\/?[^?]*/, `$1/${database}`);
}
