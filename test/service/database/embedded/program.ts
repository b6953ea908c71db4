/**
 * A process of its own that uses the embedded database, so that tests can kill it.
 *
 * node program.cjs start|write|visit FOLDER [WAIT_MS]
 *
 * Prints one JSON value a line. `start` and `write` run until SIGTERM; `visit` runs one query.
 */
import { writeSync } from 'node:fs';
import pg from 'pg';
import {
  type EmbeddedServer,
  joinOrStartEmbedded,
  startEmbedded,
} from '../../../../src/service/database/embedded/start-embedded.ts';

const [command, folder = '', wait] = process.argv.slice(2);
const options = { ...(wait ? { waitMs: Number(wait) } : {}), log: say };
const WRITERS = 4;
/** The code of a table that is not there. */
const UNDEFINED_TABLE = '42P01';

/** At once: what is printed was true before a SIGKILL. */
function say(...values: unknown[]): void {
  writeSync(1, `${JSON.stringify(values)}\n`);
}

/**
 * Inserts numbers, and says each one that the database has acknowledged. Connects again whenever it has to.
 *
 * @throws if the table is lost, which was acknowledged, too
 */
async function write({ connection }: EmbeddedServer, writer: number): Promise<void> {
  for (let next = Date.now() * WRITERS + writer; ; ) {
    const client = new pg.Client(connection);
    client.on('error', () => {});
    try {
      await client.connect();
      for (; ; next += WRITERS) {
        await client.query('insert into acknowledged values ($1) on conflict do nothing', [next]);
        say('acknowledged', next);
      }
    } catch (error) {
      say('disconnected', error instanceof Error ? error.message : '');
      await client.end().catch(() => {});
      if ((error as { code?: string }).code === UNDEFINED_TABLE) throw error;
    }
  }
}

async function query({ connection }: EmbeddedServer, text: string): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query(text);
  await client.end();
}

async function main(): Promise<void> {
  const open = command === 'visit' ? joinOrStartEmbedded : startEmbedded;
  const server = await open(folder, options);
  process.on('SIGTERM', async () => {
    await server.stop();
    process.exit(0);
  });
  if (command !== 'start')
    await query(server, 'create table if not exists acknowledged (number bigint unique)');
  say('ready', server.connection, server.version);
  if (command === 'visit') await server.stop();
  if (command === 'write') for (let writer = 0; writer < WRITERS; writer++) write(server, writer).catch(fail);
}

function fail(error: unknown): never {
  say('failed', error instanceof Error ? error.name : '', error instanceof Error ? error.message : '');
  process.exit(1);
}

main().catch(fail);
