/** A process that migrates, and writes each line of its log. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { MIGRATIONS, migrate } from '../../../src/service/database/migrate.ts';
import { buildIndexes } from '../../../src/service/database/migration.ts';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
say({ pid: process.pid });
const ran = await migrate(
  db,
  { ...MIGRATIONS, '9000-index': buildIndexes({ accounts_by_name: 'on accounts (owner_email)' }) },
  { log: (_level, event, details) => say({ event, ...details }) },
);
say({ ran });
await db.destroy();
