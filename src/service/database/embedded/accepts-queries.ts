/** Checks with a connection whether a server accepts queries. */
import { codeOf } from './embedded-advice.ts';

/** What `pg` needs to connect. `host` is the folder of the socket. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** `starting`: try again. `full`: it works, but all its connections are in use. `absent`: no server listens. */
export type Readiness = 'ready' | 'starting' | 'full' | 'absent' | 'wrong password' | 'closed';

const TIMEOUT_MS = 5_000;

/** Codes of the system and of PostgreSQL. */
const MEANINGS: Readonly<Record<string, Readiness>> = {
  ENOENT: 'absent',
  ECONNREFUSED: 'absent',
  ENOTDIR: 'absent',
  EACCES: 'closed',
  EPERM: 'closed',
  '57P03': 'starting',
  '57P01': 'starting',
  '53300': 'full',
  '28P01': 'wrong password',
};

/** Connects, sends one query, and closes the connection. Never rejects. */
export async function askReadiness(connection: Connection): Promise<Readiness> {
  // Loaded while the server starts.
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    ...connection,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  // A server that ends after the answer breaks the connection.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return 'ready';
  } catch (error) {
    return MEANINGS[codeOf(error)] ?? 'starting';
  } finally {
    await client.end().catch(() => {});
  }
}
